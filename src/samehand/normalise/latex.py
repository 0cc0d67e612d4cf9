"""LaTeX, as people write it in bibliographies, to plain Unicode text.

One pass over the text by one regular expression, so time is linear whatever the nesting: a brace is a
token that prints nothing, a command is a token that prints its Unicode meaning (latex_tables.py), and
what stands in the braces after an unknown command stays. Nothing here raises.
"""

from __future__ import annotations

import html
import re
import unicodedata
from functools import lru_cache

from samehand.normalise.latex_tables import (
    ACCENTS,
    DROPPED,
    LETTERS,
    SUBSCRIPTS,
    SUPERSCRIPTS,
    SYMBOLS,
    WORDS,
)


def _alternatives(words: list[str]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


_ACCENT = (
    r"\\(?:["
    + re.escape("".join(name for name in ACCENTS if not name.isalpha()))
    + r"]|(?:"
    + _alternatives([name for name in ACCENTS if name.isalpha()])
    + r")(?![A-Za-z]))"
)
_LETTER = r"\\(?:" + _alternatives(list(LETTERS)) + r")(?![A-Za-z])"

# Alternatives that begin with literals let the engine skip by first character; a set would not.
_MARKUP = re.compile(r"\\|\{|\}|\$|~|`|\n|\t|--|''|  |&|\^\{|\r|\x0b|\f|\xa0")
_HARD = re.compile(r"\\|\$|~|`|&|--|''|\^\{|_\{")
_ESCAPED_TWICE = re.compile(r"\{\\(?:text)?backslash\s*\}|\\textbackslash(?:\s*\{\}|\s+|(?![A-Za-z]))")
_TWICE = re.compile(r"\{\\([{}$&^_~]|textasciitilde|textasciicircum|textquotesingle)\s*\}|\\([{}])")
_ACCENT_NAME = re.compile(r"\\([A-Za-z]+|.)")
_ENTITY = re.compile(r"&(?:[#][0-9]{1,7}|[#][xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_ORDINAL = re.compile(r"(?:st|nd|rd|th|o|a|e|er|re|ème|eme)\Z")
_MATH_SCRIPT = re.compile(r"(?<!\\)([_^])\s*(?:\{([^{}]*)\}|([^\s\\{}_^]))")
# Dollars that some program escaped: two and two, or without space at their edges and no sum of money.
_ESCAPED_MATHEMATICS = re.compile(r"\$\$([^$]{1,200})\$\$|\$(?![\d\s$])([^$]{1,200})(?<!\s)\$")
_MATH_SYMBOL = re.compile(r"\\([A-Za-z]+)\s+")

_TOKEN = re.compile(
    rf"""
      (?P<braces>[{{}}]+)
    | (?P<accents>(?:{_ACCENT}\s{{0,8}}+\{{?\s{{0,8}}+){{1,3}})(?P<base>{_LETTER}|[^\W\d_])(?:\s*\{{\}})?
    | \\(?P<lone>[\^~])\s*\{{\}}
    | \\(?:url|path|nolinkurl)\s*\{{(?P<url>[^{{}}]*)\}}
    | \\(?P<dropped>{_alternatives(DROPPED)})(?![A-Za-z])\s*(?:\[[^\[\]{{}}]*\]\s*)?(?:\{{[^{{}}]*\}})?
    | \\(?P<word>[A-Za-z]+)\*?\s*(?:\{{\}})?
    | \\(?P<symbol>[^A-Za-z]|\Z)
    | \$(?P<mathematics>[^$]*)\$
    | (?P<script>[_^])\{{(?P<scripted>[^{{}}]*)\}}
    | (?P<dash>---?)
    | (?P<quote>``|''|[?!]`|`)
    | (?P<tie>~)
    """,
    re.VERBOSE | re.DOTALL,
)

_ONCE = {"textasciitilde": "~", "textasciicircum": "^", "textquotesingle": "'"}
_QUOTES = {"``": "“", "''": "”", "`": "‘", "?`": "¿", "!`": "¡"}


@lru_cache(maxsize=4096)
def _accented(accents: str, base: str) -> str:
    """A base letter under its accents; the outermost accent is written first and stacks on top."""
    letter = LETTERS[base[1:]] if base.startswith("\\") else base
    marks = [ACCENTS[name] for name in reversed(_ACCENT_NAME.findall(accents))]
    if letter in "ıȷ":
        letter = "i" if letter == "ı" else "j"
        marks = [mark for mark in marks if mark != "\u0307"]
    return unicodedata.normalize("NFC", letter + "".join(marks))


def _script(sign: str, text: str) -> str:
    """A superscript or subscript: Unicode digits and signs, plain ordinals, else "^text" or "_text".

    >>> _script("^", "2"), _script("_", "10"), _script("^", "th"), _script("^", "n")
    ('²', '₁₀', 'th', '^n')
    """
    if text and all(character in "0123456789+-=()" for character in text):
        return text.translate(SUPERSCRIPTS if sign == "^" else SUBSCRIPTS)
    if sign == "^" and _ORDINAL.match(text):
        return text
    return sign + text


def _mathematics(text: str) -> str:
    """What stands between two dollars; a space after a symbol is kept, because "a ×b" reads badly."""
    scripted = _MATH_SCRIPT.sub(lambda m: _script(m[1], m[2] if m[2] is not None else m[3]), text)
    spaced = _MATH_SYMBOL.sub(lambda m: f"\\{m[1]}{{}} " if m[1] in WORDS else m[0], scripted)
    return _TOKEN.sub(_print_token, spaced)


def _print_token(match: re.Match[str]) -> str:
    """What one token of LaTeX prints."""
    kind = match.lastgroup
    if kind == "braces":
        return ""
    if kind == "base":
        return _accented(match["accents"], match["base"])
    if kind == "word":
        return WORDS.get(match["word"], "")
    if kind == "symbol":
        symbol = match["symbol"]
        return SYMBOLS.get(symbol, symbol if symbol.isalnum() else "")
    return _print_rare_token(kind, match)


def _print_rare_token(kind: str | None, match: re.Match[str]) -> str:
    match kind:
        case "dash":
            return "—" if len(match["dash"]) == 3 else "–"
        case "quote":
            return _QUOTES[match["quote"]]
        case "tie":
            return " "
        case "mathematics":
            return _mathematics(match["mathematics"])
        case "url" | "lone":
            return match[kind]
        case "scripted":
            return _script(match["script"], _TOKEN.sub(_print_token, match["scripted"]))
    return ""


def _tidy(text: str) -> str:
    """White space collapsed, and NFC."""
    single = " ".join(text.split())
    return single if single.isascii() else unicodedata.normalize("NFC", single)


def is_plain(text: str) -> bool:
    """Whether there is nothing to decode: no markup, no white space but single spaces.

    >>> is_plain("Knuth, Donald"), is_plain("Kn{\\"u}th")
    (True, False)
    """
    return text.isascii() and not _MARKUP.search(text)


def decode(text: str) -> str:
    r"""LaTeX as plain Unicode text in normal form C, white space collapsed.

    >>> decode(r"G{\"o}del, Escher \& \v{C}ech: $\alpha$--$x^2$")
    'Gödel, Escher & Čech: α–x²'
    """
    if not _MARKUP.search(text):
        text = text.strip()
        return text if text.isascii() else unicodedata.normalize("NFC", text)
    if not _HARD.search(text):
        return _tidy(text.replace("{", "").replace("}", ""))
    printed = _TOKEN.sub(_print_token, _escaped_once(text))
    if printed.count("$") > 1:
        printed = _ESCAPED_MATHEMATICS.sub(lambda match: _mathematics(match[1] or match[2]), printed)
    if "&" in printed:
        printed = _ENTITY.sub(lambda match: html.unescape(match[0]), printed)
    return _tidy(printed)


def _escaped_once(text: str) -> str:
    r"""LaTeX that a reference manager has escaped a second time, with its backslashes back.

    >>> _escaped_once(r"Mu{\textbackslash}{\textasciitilde}noz"), _escaped_once(r"{\$}{\backslash}pi{\$}")
    ('Mu\\~noz', '$\\pi$')
    """
    if "backslash" not in text or not _ESCAPED_TWICE.search(text):
        return text
    unescaped = _TWICE.sub(lambda match: _ONCE.get(match[1], match[1] or match[2]), text)
    return _ESCAPED_TWICE.sub(lambda _: "\\", unescaped)


_GROUP_EDGE = re.compile(r"\\[A-Za-z]+\s*\{?|\\[^A-Za-z]\{?|[{}]")
_UNIT = re.compile(r"[\s,]")


def decode_name(text: str) -> str:
    r"""A name in LaTeX as plain text that keeps the braces which say "one unit" (see records.Reference).

    A group stays in braces where it holds white space or a comma, or where it is the entire name; braces of
    accents and of single words vanish.

    >>> decode_name(r"{\'E}mile {van der Berg}"), decode_name("{NASA}"), decode_name("{Knuth}, Donald")
    ('Émile {van der Berg}', '{NASA}', 'Knuth, Donald')
    """
    if "{" not in text:
        return _without_braces(decode(text))
    stripped = _escaped_once(text.replace("\0", "").strip())
    pieces: list[str] = []
    shielded: list[str] = []
    copied = 0
    for start, end in _groups(stripped):
        inner = decode(stripped[start + 1 : end - 1]).replace("{", "").replace("}", "")
        if inner and (_UNIT.search(inner) or (start == 0 and end == len(stripped))):
            pieces += [stripped[copied:start], "\0"]
            shielded.append("{" + inner + "}")
            copied = end
    plain = _without_braces(decode("".join(pieces) + stripped[copied:]))
    for unit in shielded:
        plain = plain.replace("\0", unit, 1)
    return plain


def _without_braces(text: str) -> str:
    """Decoded text without the braces that it prints: in a name they would say "one unit"."""
    return _tidy(text.replace("{", "").replace("}", "")) if "{" in text or "}" in text else text


def _groups(text: str) -> list[tuple[int, int]]:
    """Where the outermost groups stand that are not the argument of a command: (start, end) offsets."""
    found: list[tuple[int, int]] = []
    depth = 0
    start = -1
    for edge in _GROUP_EDGE.finditer(text):
        token = edge[0]
        if token == "}":
            depth = max(depth - 1, 0)
            if depth == 0 and start >= 0:
                found.append((start, edge.end()))
                start = -1
        elif token == "{":
            if depth == 0:
                start = edge.start()
            depth += 1
        elif token.endswith("{"):
            depth += 1
    return found


_URL_WRAPPER = re.compile(r"\\(?:url|path|nolinkurl|href|texttt|tt|small|urlprefix)(?![A-Za-z])\s*")
_URL_CHARACTER = re.compile(r"\\(?:textasciitilde|sim|~)\s*(?:\{\})?|\$\\sim\$|\{\\textasciitilde\}")
_URL_ESCAPE = re.compile(r"\\([^A-Za-z\s])|[{}]|\s+")


def decode_url(text: str) -> str:
    r"""A web address out of LaTeX: wrappers and escapes go, "~", "_", "--" and "%" stay as they are.

    >>> decode_url(r"\url{http://example.org/\~{}knuth/a\_b--c}")
    'http://example.org/~knuth/a_b--c'
    """
    if "\\" not in text and "{" not in text:
        return text.strip()
    unwrapped = _URL_CHARACTER.sub("~", _URL_WRAPPER.sub("", text))
    return _URL_ESCAPE.sub(lambda match: match[1] or "", unwrapped)
