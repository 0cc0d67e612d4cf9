-- Schema 7: what each author mention says stands beside its key, so that a new record learns its neighbours in one query.

ALTER TABLE keys ADD COLUMN "year" BIGINT;
ALTER TABLE keys ADD COLUMN "given_name" TEXT;
ALTER TABLE keys ADD COLUMN "is_given" BIGINT;
ALTER TABLE keys ADD COLUMN "said" TEXT;

-- The index of an older library is made anew at the first need.
DELETE FROM meta WHERE "key" = 'indexed';
