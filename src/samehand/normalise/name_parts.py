"""The folded parts of a column of names, each distinct name parsed once.

Parts are lower-case ASCII letters, digits, spaces and hyphens: "J.-P." is "j-p", "O'Brien" is "obrien". The
hyphen of a first name stays, because "hai-tao" is one name and "hai tao" are two: whoever compares can split
it, nobody could put it back. The key of a person is the first initial and the last name without spaces and
hyphens ("g vanderberg"), the last name alone where no first name is known, and "= " with the whole name where
it cannot be divided.
"""

from __future__ import annotations

import polars as pl

from samehand.normalise.names import COMMON, LONGEST_COMMON, SPECIAL, Name, parse_name
from samehand.normalise.tokens import fold_series

CHUNK = 10_000
_COMMON = f"^(?:{COMMON})$"
_SPECIAL = rf"\b(?:{'|'.join(sorted(SPECIAL))})\b"


def name_parts(names: pl.Series) -> pl.DataFrame:
    """One row for each name of the column, in its order; null gives nulls.

    Columns first, middle, last, suffix, literal, initial, key.

    >>> name_parts(pl.Series(["Jan van der Berg", "O'Hara, J.-P."])).select("first", "last", "key").rows()
    [('jan', 'van der berg', 'j vanderberg'), ('j-p', 'ohara', 'j ohara')]
    """
    places, parts = distinct_parts(names)
    return parts.select(pl.all().gather(places))


def distinct_parts(names: pl.Series) -> tuple[pl.Series, pl.DataFrame]:
    """For each name its place in a table of the distinct names' parts, and that table.

    >>> places, parts = distinct_parts(pl.Series(["Ada Dam", "Ada Dam"]))
    >>> places.to_list(), parts.height
    ([0, 0], 1)
    """
    written = names.alias("written").cast(pl.String)
    parts = _folded(parse_names(written.drop_nulls().unique()))
    table = parts.select("written").with_row_index("place")
    places = written.to_frame().join(table, on="written", how="left", maintain_order="left")["place"]
    return places, parts.drop("written")


def parse_names(written: pl.Series) -> pl.DataFrame:
    """Columns written, first, middle, last, suffix, literal: what `parse_name` gives, in any order.

    The commonest shapes are taken apart by the regular expression that `parse_name` itself begins with.

    >>> parse_names(pl.Series(["Ada Lovelace"])).row(0)
    ('Ada Lovelace', 'Ada', '', 'Lovelace', '', False)
    """
    table = written.alias("written").to_frame()
    is_common = (
        pl.col("written").str.contains(_COMMON)
        & ~pl.col("written").str.contains(_SPECIAL)
        & (pl.col("written").str.len_chars() <= LONGEST_COMMON)
    )
    common, uncommon = table.filter(is_common), table.filter(~is_common)["written"]
    chunks = [_parse(uncommon.slice(start, CHUNK)) for start in range(0, uncommon.len(), CHUNK)]
    return pl.concat([_match(common), *chunks])


def _match(common: pl.DataFrame) -> pl.DataFrame:
    """The parts of names in the commonest shapes."""
    groups = common["written"].str.extract_groups(_COMMON).struct.unnest()
    first, middle, last, inverted_last, inverted_first, inverted_middle = groups.get_columns()
    return common.with_columns(
        first=first.fill_null(inverted_first),
        middle=middle.fill_null(inverted_middle).fill_null(""),
        last=last.fill_null(inverted_last),
        suffix=pl.lit(""),
        literal=pl.lit(False),
    )


def _parse(written: pl.Series) -> pl.DataFrame:
    """The parts of other names; in chunks, because a million small tuples are slow to transpose."""
    columns = zip(*map(parse_name, written), strict=True)
    parts = {field: pl.Series(field, values) for field, values in zip(Name._fields, columns, strict=True)}
    return pl.DataFrame([written, *parts.values()])


def _folded(parsed: pl.DataFrame) -> pl.DataFrame:
    """The parts folded, with initial and key."""
    folded = parsed.with_columns(_fold_part(parsed[field]) for field in ("first", "middle", "last", "suffix"))
    # A last name in a script that has no transliteration is better kept than lost.
    unfolded = parsed["last"].str.to_lowercase()
    return folded.with_columns(
        last=pl.when(pl.col("last") == "").then(unfolded).otherwise("last"),
        initial=pl.col("first").str.head(1),
    ).with_columns(key=_key())


def _fold_part(part: pl.Series) -> pl.Series:
    """Folded, without dots and apostrophes."""
    folded = fold_series(part)
    return folded.str.replace_all(r"[^a-z0-9 -]", "").str.strip_chars(" -")


def _key() -> pl.Expr:
    person = pl.concat_str("initial", pl.lit(" "), pl.col("last").str.replace_all("[ -]", ""))
    body = pl.concat_str(pl.lit("= "), pl.col("last"))
    return pl.when("literal").then(body).otherwise(person.str.strip_chars())
