-- Schema 4: what each run changed, so that the state after any earlier run can be told.

-- The entity of a mention before a run and after it, where they differ; null where the mention was not there.
CREATE TABLE changes (
    "run" BIGINT NOT NULL,
    "mention" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "before" TEXT,
    "after" TEXT
);

-- References whose record was replaced by another of the same identifier, and the run that saw it first.
CREATE TABLE revisions (
    "run" BIGINT NOT NULL,
    "reference" TEXT NOT NULL
);

-- When the result of a run became the state of the library.
ALTER TABLE runs ADD COLUMN "saved" TEXT;
UPDATE runs SET "saved" = "finished";

-- An older library has a history from its last run on; the first run with one is kept in meta.
INSERT INTO changes
    SELECT (SELECT MAX("id") FROM runs), "mention", "kind", NULL, "entity"
    FROM assignments WHERE EXISTS (SELECT 1 FROM runs);
INSERT INTO meta SELECT 'history', CAST(COALESCE(MAX("id"), 1) AS TEXT) FROM runs;
