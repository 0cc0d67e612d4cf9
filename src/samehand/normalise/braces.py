"""Groups in braces: what a name's writer wanted kept together."""

from __future__ import annotations

from collections.abc import Iterator


def brace_pieces(text: str) -> Iterator[tuple[str, bool]]:
    """The text in pieces, each with whether it is an outermost balanced group (its braces included).

    A brace without a partner is ordinary text.

    >>> list(brace_pieces("Jan {van {der} Berg} {x"))
    [('Jan ', False), ('{van {der} Berg}', True), (' {x', False)]
    """
    depth = outside = start = 0
    for place, character in enumerate(text):
        if character == "{":
            start = place if depth == 0 else start
            depth += 1
        elif character == "}" and depth > 0:
            depth -= 1
            if depth == 0:
                if start > outside:
                    yield text[outside:start], False
                yield text[start : place + 1], True
                outside = place + 1
    if outside < len(text):
        yield text[outside:], False
