-- Schema 1. The same text serves SQLite and PostgreSQL. Never edit a migration that was released: add one.
-- Lists are JSON text, times are ISO 8601 text in UTC, truth values are 0 or 1, position keeps the order.

CREATE TABLE meta ("key" TEXT NOT NULL PRIMARY KEY, "value" TEXT NOT NULL);

CREATE TABLE sources (
    "name" TEXT NOT NULL PRIMARY KEY,
    "content" TEXT NOT NULL,
    "reference_count" BIGINT NOT NULL,
    "reject_count" BIGINT NOT NULL,
    "added" TEXT NOT NULL
);

CREATE TABLE "references" (
    "position" BIGINT NOT NULL,
    "id" TEXT NOT NULL,
    "source" TEXT NOT NULL,
    "line" BIGINT,
    "scope" TEXT,
    "key" TEXT,
    "type" TEXT,
    "title" TEXT,
    "authors" TEXT,
    "truncated" BIGINT,
    "focus" BIGINT,
    "editors" TEXT,
    "venue" TEXT,
    "year" BIGINT,
    "volume" TEXT,
    "number" TEXT,
    "pages" TEXT,
    "publisher" TEXT,
    "doi" TEXT,
    "arxiv" TEXT,
    "pmid" TEXT,
    "isbn" TEXT,
    "url" TEXT,
    "affiliations" TEXT,
    "orcids" TEXT,
    "keywords" TEXT,
    "crossref" TEXT,
    "block" TEXT,
    "text" TEXT,
    "fields" TEXT
);
CREATE UNIQUE INDEX references_id ON "references" ("id");
CREATE INDEX references_source ON "references" ("source");

CREATE TABLE rejects (
    "position" BIGINT NOT NULL,
    "source" TEXT NOT NULL,
    "line" BIGINT,
    "reason" TEXT,
    "raw" TEXT
);
CREATE INDEX rejects_source ON rejects ("source");

CREATE TABLE mentions (
    "position" BIGINT NOT NULL,
    "id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "reference" TEXT,
    "slot" BIGINT,
    "name" TEXT
);
CREATE UNIQUE INDEX mentions_id ON mentions ("id");

CREATE TABLE assignments (
    "mention" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "entity" TEXT NOT NULL,
    "probability" DOUBLE PRECISION
);
CREATE UNIQUE INDEX assignments_mention ON assignments ("mention");
CREATE INDEX assignments_entity ON assignments ("entity");

-- The entity a mention belonged to when it was last seen, for mentions no longer in the library.
CREATE TABLE former (
    "mention" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "entity" TEXT NOT NULL
);

CREATE TABLE entities (
    "position" BIGINT NOT NULL,
    "id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "name" TEXT,
    "representative" TEXT NOT NULL,
    "size" BIGINT NOT NULL
);
CREATE UNIQUE INDEX entities_id ON entities ("id");

CREATE TABLE redirects (
    "old" TEXT NOT NULL PRIMARY KEY,
    "new" TEXT NOT NULL,
    "run" BIGINT NOT NULL
);

CREATE TABLE events (
    "run" BIGINT NOT NULL,
    "event" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "entity" TEXT NOT NULL,
    "other" TEXT,
    "mentions" BIGINT NOT NULL
);

CREATE TABLE runs (
    "id" BIGINT NOT NULL PRIMARY KEY,
    "started" TEXT NOT NULL,
    "finished" TEXT NOT NULL,
    "seed" BIGINT NOT NULL,
    "settings" TEXT NOT NULL,
    "mention_count" BIGINT NOT NULL,
    "entity_count" BIGINT NOT NULL
);

CREATE TABLE decisions (
    "id" BIGINT NOT NULL PRIMARY KEY,
    "kind" TEXT NOT NULL,
    "judgement" TEXT NOT NULL,
    "left" TEXT NOT NULL,
    "right" TEXT NOT NULL,
    "left_entity" TEXT,
    "right_entity" TEXT,
    "by" TEXT NOT NULL,
    "note" TEXT,
    "at" TEXT NOT NULL,
    "undone_at" TEXT,
    "undone_by" TEXT,
    "superseded_by" BIGINT
);
