-- Schema 6: the tasks of a run in shards that are done, while it is not saved yet.

CREATE TABLE tasks (
    "plan" TEXT NOT NULL,
    "step" TEXT NOT NULL,
    "number" BIGINT NOT NULL,
    "finished" TEXT NOT NULL
);
