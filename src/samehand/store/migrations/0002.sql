-- Schema 2: records that arrive one by one (an index by which the mentions of one name are found, how common
-- words are at large, what was assigned since the last run), and the works that papers are versions of.

-- What a mention is looked up by: the block of an author, the words of a venue, identifiers and title of a paper.
CREATE TABLE keys (
    "kind" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "mention" TEXT NOT NULL,
    "reference" TEXT NOT NULL
);
CREATE INDEX keys_key ON keys ("key");
CREATE INDEX keys_mention ON keys ("mention");

-- In how many author mentions a word stands. Rows of one word add up.
CREATE TABLE frequencies (
    "field" TEXT NOT NULL,
    "token" TEXT NOT NULL,
    "count" BIGINT NOT NULL
);
CREATE INDEX frequencies_token ON frequencies ("token");

-- Author mentions that came after the last run, in order, with the persons they may belong to.
CREATE TABLE arrivals (
    "position" BIGINT NOT NULL,
    "mention" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "own" TEXT NOT NULL,
    "candidates" TEXT NOT NULL,
    "asked" BIGINT NOT NULL
);
CREATE UNIQUE INDEX arrivals_mention ON arrivals ("mention");
CREATE INDEX arrivals_key ON arrivals ("key");

CREATE INDEX events_entity ON events ("entity");

-- Papers that are not alone in their work; a work is known by one of its papers.
CREATE TABLE works (
    "entity" TEXT PRIMARY KEY,
    "work" TEXT NOT NULL
);
CREATE INDEX works_work ON works ("work");
