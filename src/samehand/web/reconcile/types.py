"""What the reconciliation service offers: types, the properties that are evidence, and those that can be fetched."""

from __future__ import annotations

from dataclasses import dataclass

from samehand.records import Kind


@dataclass(frozen=True)
class Type:
    """A type of entities."""

    id: str
    name: str
    kind: Kind
    description: str

    def told(self) -> dict[str, str]:
        """As the protocol has it."""
        return {"id": self.id, "name": self.name}


TYPES = {
    one.id: one
    for one in (
        Type("Paper", "Paper", "paper", "A publication; its versions are papers of their own."),
        Type("Person", "Person", "author", "An author."),
        Type("Venue", "Venue", "venue", "A journal, a conference series, a book series."),
    )
}
TYPE_OF: dict[Kind, Type] = {one.kind: one for one in TYPES.values()}


@dataclass(frozen=True)
class Property:
    """A property: `evidence` if it may be given with a query, `fields` the column of the canonical record by kind."""

    id: str
    name: str
    description: str
    evidence: bool
    fields: dict[Kind, str]

    def told(self) -> dict[str, str]:
        """As the protocol has it."""
        return {"id": self.id, "name": self.name, "description": self.description}


PROPERTIES = {
    one.id: one
    for one in (
        Property("title", "Title", "The title of a paper.", True, {"paper": "title"}),
        Property("authors", "Authors", "Of a paper; of a person the co-authors.", True,
                 {"paper": "authors", "author": "coauthors"}),
        Property("venue", "Venue", "Where a paper appeared.", True, {"paper": "venue", "author": "venues"}),
        Property("year", "Year", "When a paper appeared.", True, {"paper": "year"}),
        Property("doi", "DOI", "The DOI of a paper.", True, {"paper": "doi"}),
        Property("affiliation", "Affiliation", "Where a person works.", True, {}),
        Property("type", "Publication type", "article, inproceedings, book, ...", False, {"paper": "type"}),
        Property("pages", "Pages", "First and last page.", False, {"paper": "pages"}),
        Property("volume", "Volume", "Its volume.", False, {"paper": "volume"}),
        Property("orcid", "ORCID", "The ORCID of a person.", False, {"author": "orcid"}),
        Property("variants", "Variants", "Spellings of the name, with counts.", False,
                 {"author": "variants", "venue": "variants"}),
        Property("papers", "Number of papers", "How many papers.", False, {"author": "papers", "venue": "papers"}),
        Property("first_year", "First year", "The earliest year.", False,
                 {"author": "first_year", "venue": "first_year"}),
        Property("last_year", "Last year", "The latest year.", False, {"author": "last_year", "venue": "last_year"}),
    )
}  # fmt: skip

LINKED: dict[tuple[Kind, str], tuple[str, Kind]] = {
    ("paper", "authors"): ("author_entities", "author"),
    ("paper", "venue"): ("venue_entity", "venue"),
}
"""Properties whose values are entities: the column of their identifiers, and their kind."""
