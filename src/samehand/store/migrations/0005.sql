-- Schema 5: curators' acts on whole entities, each with the decisions that it made, and their choices among the values
-- that references give to a field.

CREATE TABLE acts (
    "id" BIGINT NOT NULL PRIMARY KEY,
    "what" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "first_decision" BIGINT,
    "last_decision" BIGINT,
    "moves" TEXT NOT NULL,
    "by" TEXT NOT NULL,
    "note" TEXT,
    "at" TEXT NOT NULL,
    "undone_at" TEXT,
    "undone_by" TEXT
);

-- The entry of the paper that a reference is of has a field as this reference wrote it.
CREATE TABLE choices (
    "reference" TEXT NOT NULL,
    "field" TEXT NOT NULL,
    "by" TEXT NOT NULL,
    "at" TEXT NOT NULL
);
CREATE INDEX choices_reference ON choices ("reference");
