"""Values that are safe between the braces of a BibTeX field.

BibTeX counts every brace, escaped or not; other parsers skip escaped ones; some take a brace for escaped when
a backslash stands before it, even if that one is escaped itself. A value written here is balanced in all
three ways of counting and does not end in a backslash, so that all of them see it end at the same place.
"""

from __future__ import annotations

import re

_SPECIAL = {
    "&": r"\&",
    "%": r"\%",
    "#": r"\#",
    "_": r"\_",
    "$": r"\$",
    "{": r"{\textbraceleft}",
    "}": r"{\textbraceright}",
    "~": r"{\textasciitilde}",
    "^": r"{\textasciicircum}",
    "\\": r"{\textbackslash}",
    "`": r"{\textasciigrave}",
}
_ENCODED = str.maketrans(_SPECIAL)
_NAME_ENCODED = str.maketrans({key: value for key, value in _SPECIAL.items() if key not in "{}"})
_LIGATURE = re.compile(r"--+|''+")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_AFTER_BACKSLASH = re.compile(r"\\[{}]")
_BRACE = re.compile(r"[{}]")


def encode(text: str) -> str:
    """Plain text as LaTeX: special characters escaped, letters of all alphabets kept.

    >>> encode("R&D: 100% of x_1")
    'R\\\\&D: 100\\\\% of x\\\\_1'
    """
    return _divide_ligatures(" ".join(text.split()).translate(_ENCODED))


def encode_name(name: str) -> str:
    """A name as LaTeX; its braces, which keep words together, stay.

    >>> encode_name("{Barnes & Noble}")
    '{Barnes \\\\& Noble}'
    """
    return repaired(_divide_ligatures(" ".join(name.split()).translate(_NAME_ENCODED)))


def verbatim(identifier: str) -> str:
    """A DOI or an address: nothing is escaped, and what would end the field is percent-encoded.

    >>> verbatim("10.1000/a_b{c}")
    '10.1000/a_b%7Bc%7D'
    """
    quoted = identifier.replace("{", "%7B").replace("}", "%7D").replace("\\", "%5C")
    return "".join(quoted.split())


def repaired(value: str) -> str:
    """The raw LaTeX value as it is if it is safe; else with unmatched braces dropped or closed.

    >>> repaired("The {TeX}book"), repaired("The {TeX book"), repaired("a } b")
    ('The {TeX}book', 'The {TeX book}', 'a  b')
    """
    value = value.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
    if "\\" not in value and "{" not in value and "}" not in value:
        return value
    counted = (value, _ESCAPED.sub("", value), _AFTER_BACKSLASH.sub("", value))
    if all(map(_is_balanced, counted)) and not value.endswith("\\"):
        return value
    return _balanced(_ESCAPED.sub(_plain_escape, value))


def _divide_ligatures(text: str) -> str:
    """Two hyphens or two quotes in a row would print as a dash or a curly quote."""
    return _LIGATURE.sub(lambda run: "{}".join(run[0]), text)


def _plain_escape(escape: re.Match[str]) -> str:
    """An escaped brace by its name; an escaped backslash apart from a brace that follows."""
    if escape[1] in "{}":
        return _SPECIAL[escape[1]]
    return escape[0] + " " if escape[1] == "\\" else escape[0]


def _is_balanced(value: str) -> bool:
    depth = 0
    for brace in _BRACE.findall(value):
        depth += 1 if brace == "{" else -1
        if depth < 0:
            return False
    return depth == 0


def _balanced(value: str) -> str:
    depth = 0
    pieces = []
    for piece in re.split(r"([{}])", value):
        if piece == "}" and depth == 0:
            continue
        depth += {"{": 1, "}": -1}.get(piece, 0)
        pieces.append(piece)
    joined = "".join(pieces)
    if _ESCAPED.sub("", joined).endswith("\\"):
        joined = joined[:-1] + _SPECIAL["\\"]
    return joined + "}" * depth
