"""What a record holds, as people may see it on a page or in a terminal: it can look odd, but cannot do anything."""

from __future__ import annotations

import re

LONGEST_TEXT = 240

_SPACE = re.compile(r"\s")
_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]")


def shown(text: object, longest: int = LONGEST_TEXT) -> str:
    """A value as it is shown: unseen characters made visible, and cut when overlong.

    >>> shown("a\\u202eb"), len(shown("x" * 10_000)), shown("overlong", 4)
    ('a\\ufffdb', 241, 'over…')
    """
    visible = _UNSEEN.sub("\ufffd", _SPACE.sub(" ", str(text)[: longest + 1]))
    return visible if len(visible) <= longest else visible[:longest] + "…"
