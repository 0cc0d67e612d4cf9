"""An author or editor field in LaTeX to names: split at " and " outside braces, then decoded."""

from __future__ import annotations

import re

from samehand.normalise.latex import decode_name, is_plain

_AND = re.compile(r" [aA][nN][dD](?= |\Z)")
_AND_OR_BRACE = re.compile(r"\{|\}| [aA][nN][dD](?= |\Z)")
_OTHERS = re.compile(r"(?:\A[{(\[]*others|(?:\A|[\s,;({\[]+)et\.?\s*al)\b[\s.,;)}\]]*\Z", re.IGNORECASE)
_MAYBE_OTHERS = re.compile(r"\b(?:others|al)\b[^a-z]*\Z", re.IGNORECASE)
_SEMICOLON_NAME = re.compile(r"[^;{}&\d]{2,60}\Z")
_BIBLATEX_PART = re.compile(r"\b(family|given|prefix|suffix)\s*=\s*([^,]*)")
_EDGES = " \t\n,;~"


def split_names(text: str) -> tuple[list[str], bool]:
    r"""The decoded names of a name list, and whether it ends in "and others", "et al." or the like.

    Names are separated by "and" in any case between white space, outside braces. Only where there is no
    "and", semicolons separate names, if every piece looks like one.

    >>> split_names(r"Erd{\H o}s, P. and {Barnes and Noble} and others")
    (['Erdős, P.', '{Barnes and Noble}'], True)
    >>> split_names("Knuth, D. E.; Plass, M. F.")
    (['Knuth, D. E.', 'Plass, M. F.'], False)
    """
    text = " ".join(text.split())
    pieces = _pieces(" " + text)
    truncated = False
    while pieces and _MAYBE_OTHERS.search(pieces[-1]):
        cut = _OTHERS.search(pieces[-1])
        if cut is None:
            break
        truncated = True
        pieces[-1] = pieces[-1][: cut.start()].rstrip(_EDGES)
        if pieces[-1]:
            break
        pieces.pop()
    if is_plain(text):
        return pieces, truncated
    names = [decode_name(piece) for piece in pieces]
    return [name for name in names if name.strip(" ,")], truncated


def _pieces(text: str) -> list[str]:
    pieces = _split_outside_braces(text) if "{" in text else _AND.split(text)
    if len(pieces) == 1 and ";" in text:
        parts = text.strip(_EDGES).split(";")
        if all(_SEMICOLON_NAME.match(part) for part in parts):
            pieces = parts
    names = [stripped for piece in pieces if (stripped := piece.strip(_EDGES))]
    if "family" in text:
        names = [_plain_order(name) if _BIBLATEX_PART.match(name) else name for name in names]
    if any(name.count(",") > 1 for name in names):
        names = [part for name in names for part in _comma_separated(name)]
    return names


def _plain_order(name: str) -> str:
    """A name in biblatex's labelled parts as "prefix family, suffix, given".

    >>> _plain_order("family=Goes, given=Fernando, prefix=de, useprefix=true")
    'de Goes, Fernando'
    """
    parts = {match[1]: match[2].strip() for match in _BIBLATEX_PART.finditer(name)}
    last = f"{parts.get('prefix', '')} {parts.get('family', '')}".strip()
    return ", ".join(part for part in (last, parts.get("suffix"), parts.get("given")) if part)


def _comma_separated(name: str) -> list[str]:
    """Full names between commas, where a "name" holds too many commas to be one person's.

    >>> _comma_separated("Ann Lee, Bo Chen, Cy Young"), _comma_separated("Young, Jr., Cy")
    (['Ann Lee', 'Bo Chen', 'Cy Young'], ['Young, Jr., Cy'])
    """
    parts = [part.strip() for part in name.split(",")]
    if len(parts) > 2 and "{" not in name and all(" " in part for part in parts):
        return parts
    return [name]


def _split_outside_braces(text: str) -> list[str]:
    pieces: list[str] = []
    depth = start = 0
    for match in _AND_OR_BRACE.finditer(text):
        token = match[0]
        if token == "{":
            depth += 1
        elif token == "}":
            depth = max(depth - 1, 0)
        elif depth == 0:
            pieces.append(text[start : match.start()])
            start = match.end()
    pieces.append(text[start:])
    return pieces
