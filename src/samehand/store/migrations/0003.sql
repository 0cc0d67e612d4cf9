-- Schema 3: what the web application looks entities up by, made anew after each run; its users, tokens and sessions.

CREATE INDEX mentions_reference ON mentions ("reference");
CREATE INDEX mentions_position ON mentions ("position");
CREATE INDEX mentions_kind ON mentions ("kind", "position");
CREATE INDEX references_position ON "references" ("position");
CREATE INDEX rejects_position ON rejects ("position");
CREATE INDEX events_run ON events ("run", "event");
CREATE INDEX events_other ON events ("other");
CREATE INDEX redirects_new ON redirects ("new");
CREATE INDEX decisions_left ON decisions ("left");
CREATE INDEX decisions_right ON decisions ("right");

-- One row per entity. place numbers the entities, the larger ones of a kind first.
CREATE TABLE facts (
    "place" BIGINT NOT NULL PRIMARY KEY,
    "entity" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "sort" TEXT NOT NULL,
    "size" BIGINT NOT NULL,
    "papers" BIGINT NOT NULL,
    "first_year" BIGINT,
    "last_year" BIGINT,
    "sure" DOUBLE PRECISION,
    "size_class" TEXT NOT NULL,
    "sure_class" TEXT NOT NULL,
    "decade" BIGINT
);
CREATE UNIQUE INDEX facts_entity ON facts ("entity");
CREATE INDEX facts_size ON facts ("kind", "place", "size_class", "sure_class", "decade");
CREATE INDEX facts_sort ON facts ("kind", "sort", "place", "size_class", "sure_class", "decade");
CREATE INDEX facts_sure ON facts ("kind", "sure", "place", "size_class", "sure_class", "decade");
CREATE INDEX facts_year ON facts ("kind", "last_year", "place", "size_class", "sure_class", "decade");

-- The canonical record of an entity, as JSON: a row of publish/canonical.py.
CREATE TABLE records (
    "entity" TEXT NOT NULL PRIMARY KEY,
    "record" TEXT NOT NULL
);

-- The words of an entity's names, all spellings, folded; with its classes, so that they can be counted here.
CREATE TABLE words (
    "kind" TEXT NOT NULL,
    "word" TEXT NOT NULL,
    "place" BIGINT NOT NULL,
    "size_class" TEXT NOT NULL,
    "sure_class" TEXT NOT NULL,
    "decade" BIGINT
);
CREATE INDEX words_word ON words ("kind", "word", "place", "size_class", "sure_class", "decade");
CREATE INDEX words_place ON words ("place", "word");

-- Who stands beside an entity. Of papers the weight is the year, of all others how many references they share.
CREATE TABLE links (
    "place" BIGINT NOT NULL,
    "role" TEXT NOT NULL,
    "other" TEXT NOT NULL,
    "weight" BIGINT NOT NULL
);
CREATE INDEX links_place ON links ("place", "role", "weight", "other");

-- In how many references of a year an entity stands.
CREATE TABLE years (
    "place" BIGINT NOT NULL,
    "year" BIGINT NOT NULL,
    "count" BIGINT NOT NULL
);
CREATE INDEX years_place ON years ("place", "year", "count");

-- How many entities of each kind fall into each class.
CREATE TABLE facets (
    "kind" TEXT NOT NULL,
    "size_class" TEXT NOT NULL,
    "sure_class" TEXT NOT NULL,
    "decade" BIGINT,
    "count" BIGINT NOT NULL
);

-- Passwords are argon2 hashes, tokens and session numbers are kept as hashes only.
CREATE TABLE users (
    "name" TEXT NOT NULL PRIMARY KEY,
    "role" TEXT NOT NULL,
    "password" TEXT NOT NULL,
    "made" TEXT NOT NULL
);
CREATE TABLE tokens (
    "hash" TEXT NOT NULL PRIMARY KEY,
    "name" TEXT NOT NULL,
    "made" TEXT NOT NULL
);
CREATE TABLE sessions (
    "hash" TEXT NOT NULL PRIMARY KEY,
    "name" TEXT NOT NULL,
    "made" TEXT NOT NULL,
    "ends" TEXT NOT NULL
);
