"""XML elements one by one, from files that nobody vouches for.

lxml never sees a document type declaration: the prolog is read here, checked, and left out. A declaration
with entities of its own is refused (that is where entity bombs and external files come from); the named
entities of Latin-1 and HTML are replaced by their characters before parsing, since lxml would silently drop
them (`J&uuml;rgen` would become `Jrgen`). Nothing is fetched: no DTD, no file, no network.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from html.entities import html5
from typing import BinaryIO

from lxml import etree

from samehand.errors import ReadError
from samehand.read.lines import CHUNK

PROLOG_LIMIT = 1 << 18
PREDEFINED = frozenset(("amp", "lt", "gt", "quot", "apos"))
ENTITIES = {
    name[:-1]: text for name, text in html5.items() if name.endswith(";") and name[:-1] not in PREDEFINED
}
"""Named entities and their characters: all of HTML, which includes all of the DBLP and MEDLINE sets."""

_ENTITY = re.compile(r"&([A-Za-z][A-Za-z0-9]{0,40});")
_PARTIAL_ENTITY = re.compile(r"&[A-Za-z0-9]{0,41}$")
_DECLARATION = re.compile(rb"<\?xml\b[^>]*?\?>")
_ENCODING = re.compile(rb"""encoding\s*=\s*["']([A-Za-z0-9._-]{1,40})["']""")
_ROOT = re.compile(rb"<([A-Za-z_][\w.:-]*)")
_MISC = re.compile(rb"(?:\s|\xef\xbb\xbf|<\?(?:.*?)\?>|<!--(?:.*?)-->)*+", re.DOTALL)
_DOCTYPE = re.compile(rb"<!DOCTYPE([^\[>]*)(\[)?")


class Document:
    """An XML file past its prolog: the encoding, the lines passed, and its text without named entities."""

    def __init__(self, stream: BinaryIO, source: str) -> None:
        head = _head(stream)
        at = _root_position(head, source)
        self._stream, self._rest = stream, head[at:]
        self.line = 1 + head.count(b"\n", 0, at)
        self._decoder = codecs.getincrementaldecoder(_encoding(head, source))("surrogateescape")
        self._pending = ""

    def read_text(self) -> str:
        """The next piece of text, in which no named entity but the five of XML is left; "" at the end."""
        while True:
            chunk, self._rest = self._rest or self._stream.read(CHUNK), b""
            text = self._pending + self._decoder.decode(chunk, not chunk)
            partial = _PARTIAL_ENTITY.search(text, max(0, len(text) - 42)) if chunk else None
            cut = partial.start() if partial else len(text)
            self._pending = text[cut:]
            if cut or not chunk:
                return resolved(text[:cut])


def resolved(text: str) -> str:
    """Text with each named entity replaced by its character; an unknown one stays visible as text.

    >>> resolved("J&uuml;rgen &amp; &bogus;")
    'Jürgen &amp; &amp;bogus;'
    """
    return _ENTITY.sub(_character, text) if "&" in text else text


def _character(entity: re.Match[str]) -> str:
    name = entity[1]
    if name in PREDEFINED:
        return entity[0]
    return ENTITIES.get(name, f"&amp;{name};")


def _head(stream: BinaryIO) -> bytes:
    head = b""
    while len(head) < PROLOG_LIMIT and (chunk := stream.read(PROLOG_LIMIT - len(head))):
        head += chunk
    return head


def _root_position(head: bytes, source: str) -> int:
    """Where the root element begins; refuses a document type that declares anything."""
    at = _end_of_misc(head, 0)
    doctype = _DOCTYPE.match(head, at)
    if doctype:
        if doctype[2]:
            raise ReadError(
                f"{source}: the document type declares entities or elements of its own, which can hide an "
                "entity bomb or read other files; remove the part in [ ] of its DOCTYPE line"
            )
        at = _end_of_misc(head, doctype.end() + 1)
    if not _ROOT.match(head, at):
        raise ReadError(f"{source}: no XML root element where one should begin; is the file XML?")
    return at


def _end_of_misc(head: bytes, at: int) -> int:
    found = _MISC.match(head, at)
    return found.end() if found else at


def _encoding(head: bytes, source: str) -> str:
    """The declared encoding; UTF-8 where none is, or where the file was already turned into UTF-8."""
    declaration = _DECLARATION.search(head[:1000])
    found = _ENCODING.search(declaration[0]) if declaration else None
    name = found[1].decode().lower() if found else "utf-8"
    try:
        codec = codecs.lookup("utf-8" if name.startswith(("utf-16", "utf16", "ucs")) else name)
    except LookupError:
        raise ReadError(
            f"{source}: unknown encoding {name!r} in the XML declaration; convert to UTF-8"
        ) from None
    if not getattr(codec, "_is_text_encoding", True):
        raise ReadError(f"{source}: {name!r} is no text encoding; correct the XML declaration") from None
    return codec.name


def elements(
    document: Document, tags: frozenset[str], before: str = ""
) -> Iterator[tuple[int, etree._Element]]:
    """(line, element) for each element with one of the tags, each emptied after use to keep memory flat.

    `before` is text to parse first. Raises `etree.XMLSyntaxError` where the document is malformed.
    """
    parser = etree.XMLPullParser(
        ("end",), tag=tuple(tags), resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False
    )
    offset = document.line - 1
    text = before or document.read_text()
    while text:
        for piece in (text[at : at + CHUNK] for at in range(0, len(text), CHUNK)):
            error = _feed(parser, piece)
            for _, element in parser.read_events():
                if element.getparent() is None or element.getparent().tag not in tags:
                    yield offset + (element.sourceline or 1), element
                    _release(element)
            if error:
                raise error
        text = document.read_text()
    parser.close()


def _feed(parser: etree.XMLPullParser, text: str) -> etree.XMLSyntaxError | None:
    """Parses a piece; returns the error, so that the elements before it can be taken first."""
    try:
        parser.feed(text.encode("utf-8", "replace"))
    except etree.XMLSyntaxError as error:
        return error
    return None


def _release(element: etree._Element) -> None:
    """Empties an element, and drops the ones before it."""
    element.clear()
    parent = element.getparent()
    while parent is not None and element.getprevious() is not None:
        del parent[0]


def text_content(element: etree._Element | None) -> str | None:
    """All text of an element, markup inside it flattened, with single white space.

    >>> text_content(etree.fromstring("<title>On <i>H</i><sub>2</sub>O</title>"))
    'On H2O'
    """
    if element is None:
        return None
    text = element.text if not len(element) else "".join(element.itertext("*"))
    return " ".join(text.split()) or None if text else None
