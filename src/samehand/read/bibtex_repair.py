"""Rules for BibTeX that is broken: where groups end, what a bad quote meant, fields saved line by line."""

from __future__ import annotations

import re
from collections.abc import Iterator

_EDGE = re.compile(r"[{}]")
_QUOTE_EDGE = re.compile(r'[{}"]')
_AFTER_VALUE = re.compile(r"\s*+(?:[,#})]|\Z|[A-Za-z][\w-]*+\s*+=)")
_QUOTE_END = re.compile(r'"(?=\s*+(?:,\s*+[A-Za-z][\w-]*+\s*+=|,?\s*+[})]\s*+(?:\n|\Z)))')
_FIELD_LINE = re.compile(r"(?:^|\n)[ \t,]*+([A-Za-z][\w-]*+)[ \t]*+=[ \t]*+(?=[{\"\w])")
_LINE_START = re.compile(r"\n[ \t]*+@[ \t]*+[A-Za-z][\w+-]*+\s*+[{(]")
_COMMENT_LINE = re.compile(r"[ \t]*+%+([^\n]*+\n?)")

WIDEST_MARGIN = 80
"""Characters before an "@" that are looked at to see whether it begins its line."""

REACH = 1 << 16
"""Characters in which the true end of a badly quoted value is looked for."""


def group_end(text: str, start: int, end: int) -> int:
    """The offset after the brace that closes the one at `start`, or -1 if none does before `end`.

    >>> group_end("{a{b}c}d", 0, 8), group_end("{a{b}", 0, 5)
    (7, -1)
    """
    depth = 0
    for edge in _EDGE.finditer(text, start, end):
        depth += 1 if edge[0] == "{" else -1
        if depth == 0:
            return edge.end()
    return -1


def quoted_value(text: str, start: int, end: int, reach: int = REACH) -> tuple[str, int] | None:
    """The value in quotes that begins at `start` and the offset after it; None if it never ends.

    The closing quote is the first one outside braces, as in BibTeX. If no comma or end of entry follows,
    or braces inside do not match, it is the first quote that does stand before the next field; and where
    the value then runs over a line that begins a field, its own closing quote is missing.

    >>> text = '"The "Big" Sleep", year = 1939'
    >>> quoted_value(text, 0, len(text))
    ('The "Big" Sleep', 17)
    """
    close = _closing_quote(text, start + 1, end)
    if close >= 0 and _AFTER_VALUE.match(text, close + 1, end):
        return text[start + 1 : close], close + 1
    stop = min(end, start + 1 + reach)
    field_line = _FIELD_LINE.search(text, start + 1, stop)
    later = _QUOTE_END.search(text, start + 1, field_line.end() if field_line else stop)
    if later:
        return text[start + 1 : later.start()], later.start() + 1
    if field_line:
        return text[start + 1 : field_line.start()].rstrip().rstrip(",").rstrip('"'), field_line.start()
    return (text[start + 1 : close], close + 1) if close >= 0 else None


def _closing_quote(text: str, start: int, end: int) -> int:
    depth = 0
    for edge in _QUOTE_EDGE.finditer(text, start, end):
        if edge[0] == "{":
            depth += 1
        elif edge[0] == "}":
            depth -= 1
        elif depth == 0:
            return edge.start()
        if depth < 0:
            return -1
    return -1


def next_line_start(text: str, position: int) -> int:
    """Where the next line begins that looks like the start of any entry; the end of the text if none does."""
    found = _LINE_START.search(text, position)
    return found.start() + 1 if found else len(text)


def field_lines(text: str) -> Iterator[tuple[str, str]]:
    """Fields of an entry whose braces do not match: each line "name = value" begins one.

    >>> list(field_lines("title = {On {Hands},\\n year = 1999,\\n note = {never closed"))
    [('title', '{On {Hands}'), ('year', '1999'), ('note', '{never closed')]
    """
    name, start = "", 0
    for match in _FIELD_LINE.finditer(text):
        if name:
            yield name, text[start : match.start()].strip().rstrip(",").rstrip()
        name, start = match[1], match.end()
    if name:
        yield name, text[start:].strip().rstrip(",").rstrip()


def strip_delimiters(value: str) -> str:
    """A saved value without the delimiters at its ends, where they may be unbalanced.

    >>> strip_delimiters("{On {Hands}"), strip_delimiters('"A"'), strip_delimiters("{A {B}}")
    ('On {Hands}', 'A', 'A {B}')
    """
    for opening, closing in (("{", "}"), ('"', '"')):
        if value.startswith(opening):
            inner = value[1:]
            surplus = closing == '"' or inner.count("}") > inner.count("{")
            return inner[:-1] if surplus and inner.endswith(closing) else inner
    return value


def comment_block(text: str, at: int) -> tuple[str, int] | None:
    """If the line of `at` begins with "%": the lines from there that do, without it, and where they end.

    >>> comment_block("% @a{k,\\n%  x = 1}\\nrest", 2)
    ('@a{k,\\n  x = 1}\\n', 18)
    """
    line_start = text.rfind("\n", max(0, at - WIDEST_MARGIN), at) + 1
    margin = text[max(line_start, at - WIDEST_MARGIN) : at]
    if "%" not in margin or margin.strip(" \t%"):
        return None
    end = text.find("\n", at) + 1 or len(text)
    lines = [text[at:end]]
    while line := _COMMENT_LINE.match(text, end):
        lines.append(line[1])
        end = line.end()
    return "".join(lines), end
