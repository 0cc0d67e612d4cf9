"""The grammar of BibTeX as people write it: text to entries, field by field, whatever is broken.

The text is cut into segments where a line begins like an entry ("@word{key,"), so a brace that is never
closed costs one entry and not the rest of the file. Inside a segment one regular expression reads one
field; where it does not apply, slower and more forgiving rules do (bibtex_repair.py).

What counts as an entry is what BibTeX itself would read: "@word{" or "@word(" anywhere outside an entry,
also inside `@comment{...}`. The one exception is an entry on a line that begins with "%": BibTeX reads it,
but whoever wrote it meant a comment, so it becomes a reject and is not forgotten.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from samehand.read import bibtex_repair as repair
from samehand.read.bibtex_repair import WIDEST_MARGIN

LARGEST_ENTRY = 16 << 20
"""Characters; a larger entry is rejected, and reading goes on at the next one."""

LARGEST_EXPANSION = 1 << 15
"""Characters that `@string` macros may add to one entry, or to one macro: nested macros grow as 2^n."""

PATIENCE = 100
"""How many irregular quoted values of one segment are looked at closely, so that time stays linear."""

MONTHS = {
    "jan": "January",
    "feb": "February",
    "mar": "March",
    "apr": "April",
    "may": "May",
    "jun": "June",
    "jul": "July",
    "aug": "August",
    "sep": "September",
    "oct": "October",
    "nov": "November",
    "dec": "December",
}

_COMMANDS = frozenset({"string", "preamble", "comment"})
_TYPE = r"[A-Za-z][\w+-]*"
_ENTRY = re.compile(rf"@\s*({_TYPE})\s*([{{(])")
_BOUNDARY = re.compile(
    rf"@[ \t]*(?!(?i:string|preamble|comment)\b){_TYPE}\s*[{{(]\s*(?:[^\n,={{}}\"]*,|[A-Za-z][\w-]*\s*=)"
)
_LONGEST_HEADER = 4096
_KEY = re.compile(r"\s*+([^\s,={}\"()]*+)[ \t]*+(?:\s*+,|(?=\s*+[})]|\n))")
_NO_KEY = re.compile(r"\s*+[A-Za-z][\w-]*+\s*+=\s*+[{\"\w]")
_ODD_KEY = re.compile(r"\s*+([^,=\n]{0,500})(?:,|\n|\Z)|\s*+(\S{1,500})\s+(?=[A-Za-z][\w-]*+\s*+=)")

_FLAT = r"[^{}]*+"
_DEEP = (
    _FLAT
    + r"(?:\{"
    + _FLAT
    + r"(?:\{"
    + _FLAT
    + r"(?:\{"
    + _FLAT
    + r"\}"
    + _FLAT
    + r")*+\}"
    + _FLAT
    + r")*+\}"
)
_BRACED = _DEEP + _FLAT + r")*+"
_QUOTED = r'[^{}"]*+(?:\{' + _BRACED + r'\}[^{}"]*+)*+'
_FIELD = re.compile(
    r"[\s,]*+([A-Za-z_][^\s=,{}\"()#%]*+)\s*+=\s*+"
    r"(?:\{(" + _BRACED + r")\}|\"(" + _QUOTED + r")\"|([^\s,#{}\"()=%]++))"
    r"\s*+(?:,|(?=[})])|(?=[A-Za-z][\w-]*+\s*+=\s*+[{\"]))"
)
_CLOSE = {"{": re.compile(r"[\s,]*+\}"), "(": re.compile(r"[\s,]*+\)")}
_GOES_ON = re.compile(r"\s*+,\s*+[A-Za-z][\w-]*+\s*+=\s*+[{\"\w]")
_NAME = re.compile(r"[\s,]*+([A-Za-z_][^\s=,{}\"()#%]*+)\s*+(?:=\s*+|(?=[{\"]))")
_COMMENT = re.compile(r"[\s,]*+%[^\n]*+")
_BARE = re.compile(r"[^,\n{}\"#=%)]*+")
_JOIN = re.compile(r"\s*+#\s*+")
_JUNK = re.compile(r"[\s,]*+[^,{}()\n]*+[,\n]?")

NEVER_CLOSED = "entry never closed"
COMMENTED_OUT = "commented out with %"
TOO_LARGE = "entry too large"
EXPANDS_TOO_FAR = "macros expand too far"


@dataclass(slots=True)
class Entry:
    """One entry as written: field values are raw LaTeX, macros expanded, delimiters removed."""

    line: int
    type: str
    key: str | None
    fields: dict[str, str] = field(default_factory=dict)
    problem: str | None = None
    raw: str = ""
    repeats: dict[str, int] = field(default_factory=dict)

    def add(self, name: str, value: str) -> None:
        """Keep a field: the first of a name wins, as in BibTeX; later ones become "name~2", "name~3"."""
        name = name.lower()
        if name in self.fields:
            number = self.repeats[name] = self.repeats.get(name, 1) + 1
            name = f"{name}~{number}"
        self.fields[name] = value


def entries(chunks: Iterable[str]) -> Iterator[Entry]:
    """Every entry of the text, in order; `problem` says what is wrong with a broken one.

    >>> found = list(entries(["@string{j = {J. ACM}} @article{k, journal = j, year = 1999}"]))
    >>> found[0].key, found[0].fields
    ('k', {'journal': 'J. ACM', 'year': '1999'})
    """
    macros = dict(MONTHS)
    for line, text in segments(chunks):
        if len(text) > LARGEST_ENTRY:
            yield Entry(line, "", None, problem=TOO_LARGE, raw=text[:2000])
        else:
            yield from _Segment(line, text, macros).entries()


def segments(chunks: Iterable[str]) -> Iterator[tuple[int, str]]:
    """The text cut before each line that begins like an entry, each piece with its line number.

    A piece that outgrows `LARGEST_ENTRY` is given once, cut short, and dropped up to the next cut.
    """
    held, line, searched, overflowing = "", 1, 0, False
    for chunk in chunks:
        held += chunk
        start = 0
        for cut in _cuts(held, searched):
            if not overflowing:
                yield line, held[start:cut]
            line += held.count("\n", start, cut)
            start, overflowing = cut, False
        held = held[start:]
        if len(held) > LARGEST_ENTRY:
            if not overflowing:
                yield line, held[: LARGEST_ENTRY + 1]
            overflowing = True
            line += held.count("\n", 0, len(held) - _LONGEST_HEADER)
            held = held[-_LONGEST_HEADER:]
        searched = max(1, len(held) - _LONGEST_HEADER)
    if not overflowing:
        yield line, held


def _cuts(text: str, start: int) -> Iterator[int]:
    for match in _BOUNDARY.finditer(text, start):
        at = match.start()
        line_start = text.rfind("\n", max(0, at - WIDEST_MARGIN), at) + 1
        if (line_start or at < WIDEST_MARGIN) and not text[line_start:at].strip(" \t\ufeff"):
            yield line_start


class _Segment:
    """A piece of text that begins with an entry, and mostly holds nothing else."""

    def __init__(self, line: int, text: str, macros: dict[str, str]) -> None:
        self.line = line
        self.text = text
        self.macros = macros
        self.broken = False
        self.patience = PATIENCE
        self.counted = 0

    def entries(self) -> Iterator[Entry]:
        position = 0
        while (start := _ENTRY.search(self.text, position)) is not None:
            kind = start[1].lower()
            if kind in ("comment", "preamble"):
                position = start.end()
                continue
            if comment := repair.comment_block(self.text, start.start()):
                found, position = self._commented(start, *comment)
            else:
                entry, position = self._entry(start)
                found = [entry]
            for entry in found:
                if entry.type == "string":
                    self._define(entry)
                else:
                    yield entry

    def _commented(self, start: re.Match[str], block: str, end: int) -> tuple[list[Entry], int]:
        """Entries on lines that begin with "%"; or only the first line does, and the entry still goes on."""
        first = self._line_of(start.start())
        found = list(_Segment(first, block, self.macros).entries())
        if len(found) == 1 and found[0].problem == NEVER_CLOSED and not block.rstrip().count("\n"):
            entry, end = self._entry(start)
            found = [entry]
        for entry in found:
            entry.problem, entry.raw = COMMENTED_OUT, entry.raw or block
        return found, end

    def _define(self, entry: Entry) -> None:
        for name, value in entry.fields.items():
            if len(value) <= LARGEST_EXPANSION:
                self.macros[name] = value

    def _entry(self, start: re.Match[str]) -> tuple[Entry, int]:
        """Reads one entry; after the first that is never closed, no other may reach over a line "@word{"."""
        end = repair.next_line_start(self.text, start.end()) if self.broken else len(self.text)
        entry, position = self._attempt(start, end)
        if position < 0 and not self.broken:
            self.broken = True
            end = repair.next_line_start(self.text, start.end())
            entry, position = self._attempt(start, end)
        if position < 0:
            self._save(entry, self.text[start.end() : end])
            position = end
        if entry.problem:
            entry.raw = self.text[start.start() : min(position, start.start() + 2000)]
        return entry, position

    def _attempt(self, start: re.Match[str], end: int) -> tuple[Entry, int]:
        """The entry that begins at `start`, and where it ends: -1 if it is not closed before `end`."""
        entry = Entry(self._line_of(start.start()), start[1].lower(), None)
        reader = _FieldReader(self.text, end, self.macros, entry, self.patience)
        position = reader.read(start.end(), start[2])
        self.patience = reader.patience
        return entry, position

    def _line_of(self, position: int) -> int:
        """The line of a position, which never goes back: lines are counted on from the last one asked for."""
        self.line += self.text.count("\n", self.counted, position)
        self.counted = position
        return self.line

    def _save(self, entry: Entry, body: str) -> None:
        """Of an entry that is never closed, keep the fields read, or those found line by line if more."""
        entry.problem = NEVER_CLOSED
        if not entry.fields and body.partition(",")[2].lstrip().startswith("%"):
            entry.problem = COMMENTED_OUT
            return
        saved = list(repair.field_lines(body))
        if len(saved) > len(entry.fields):
            entry.fields.clear()
            for name, value in saved:
                entry.add(name, self.macros.get(value.lower()) or repair.strip_delimiters(value))


class _FieldReader:
    """Reads the key and the fields of one entry out of `text`, not beyond `end`."""

    def __init__(self, text: str, end: int, macros: dict[str, str], entry: Entry, patience: int) -> None:
        self.text = text
        self.end = end
        self.macros = macros
        self.entry = entry
        self.budget = LARGEST_EXPANSION
        self.patience = patience

    def read(self, position: int, opening: str) -> int:
        """Reads until the closing delimiter; the offset after it, or -1 where the text ends first."""
        text, end, entry = self.text, self.end, self.entry
        fields, close = entry.fields, _CLOSE[opening]
        if entry.type != "string":
            position = self._key(position)
        while position >= 0:
            if match := _FIELD.match(text, position, end):
                name, braced, quoted, bare = match.groups()
                value = braced if braced is not None else quoted if quoted is not None else self._expand(bare)
                name = name.lower()
                if name in fields:
                    entry.add(name, value)
                else:
                    fields[name] = value
                position = match.end()
            elif match := close.match(text, position, end):
                position = match.end()
                # A closing brace too many: what follows still reads like a field of this entry.
                if not _GOES_ON.match(text, position, end):
                    return position
            else:
                position = self._irregular(position)
        return -1

    def _key(self, position: int) -> int:
        if match := _KEY.match(self.text, position, self.end):
            self.entry.key = match[1] or None
        elif _NO_KEY.match(self.text, position, self.end):
            return position
        elif match := _ODD_KEY.match(self.text, position, self.end):
            self.entry.key = (match[1] or match[2] or "").strip() or None
        return match.end() if match else position

    def _irregular(self, position: int) -> int:
        """One field, comment or piece of junk that the fast rule does not know; -1 at the end of the text."""
        if match := _COMMENT.match(self.text, position, self.end):
            return match.end()
        if match := _NAME.match(self.text, position, self.end):
            return self._value(match[1], match.end())
        match = _JUNK.match(self.text, position, self.end)
        after = match.end() if match else position
        if after < self.end and self.text[after] == "{":
            return repair.group_end(self.text, after, self.end)
        if after == position:
            after += 1
        return after if after < self.end else -1

    def _value(self, name: str, position: int) -> int:
        """A value in parts joined by "#": groups, quoted strings, and bare words, which may be macros."""
        parts: list[str] = []
        while True:
            part = self._part(position)
            if part is None:
                return -1
            parts.append(part[0])
            join = _JOIN.match(self.text, part[1], self.end)
            if join is None:
                self.entry.add(name, "".join(parts))
                return part[1]
            position = join.end()

    def _part(self, position: int) -> tuple[str, int] | None:
        first = self.text[position : position + 1] if position < self.end else ""
        if first == "{":
            after = repair.group_end(self.text, position, self.end)
            return (self.text[position + 1 : after - 1], after) if after >= 0 else None
        if first == '"':
            self.patience -= 1
            reach = repair.REACH if self.patience > 0 else 0
            return repair.quoted_value(self.text, position, self.end, reach)
        bare = _BARE.match(self.text, position, self.end)
        return (self._expand(bare[0].strip()), bare.end()) if bare else None

    def _expand(self, word: str) -> str:
        """The text of a macro; a word that is none stands for itself, as does a number."""
        value = self.macros.get(word.lower())
        if value is None:
            return word
        self.budget -= len(value)
        if self.budget < 0:
            self.entry.problem = EXPANDS_TOO_FAR
            return word
        return value
