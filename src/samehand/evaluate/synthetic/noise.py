"""How a source writes a name: in full or with initials, with or without the middle name, now and then wrong.

Whether names are in full or initials, and in which order, is decided once for a whole record, as a source's
house style is; single names depart from it now and then.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from samehand.evaluate.synthetic.draws import happens
from samehand.evaluate.synthetic.laws import Noise
from samehand.evaluate.synthetic.teams import Integers
from samehand.infer.random import State, below
from samehand.kernels import kernel

Bytes = npt.NDArray[np.uint8]

WRITTEN = np.dtype(
    [
        ("first", "i4"), ("middle", "i4"), ("last", "i4"), ("inverted", "?"), ("swapped", "?"),
        ("first_edit", "u2"), ("last_edit", "u2"),
    ]
)  # fmt: skip
"""One name as written. `first` and `middle`: index into the written forms (`text.Forms`), middle -1 for none;
edits: 0 for none, else see `misspell`."""

SHORTEST_MISSPELT = 4


@kernel
def write_name(
    random: State,
    name: np.void,
    initials: npt.NDArray[np.int32],
    short: bool,
    noise: Noise,
    written: np.void,
) -> None:
    """Write one name; `short`: with initials, which stand after the three forms of all first names."""
    count = len(initials)
    short = short != happens(random, noise.mixed)
    form = below(random, 3) if happens(random, noise.hyphen) else name["form"]
    written["first"] = 3 * count + initials[name["first"]] if short else form * count + name["first"]
    written["middle"] = -1
    if name["middle"] >= 0 and not happens(random, noise.no_middle):
        full = not short and happens(random, noise.full_middle)
        written["middle"] = name["middle"] if full else 3 * count + initials[name["middle"]]
    written["last"] = name["last"]
    written["swapped"] = happens(random, noise.swapped)
    written["first_edit"] = 1 + below(random, 65535) if happens(random, noise.misspelt) else 0
    written["last_edit"] = 1 + below(random, 65535) if happens(random, noise.misspelt) else 0


@kernel
def write_names(
    random: State,
    records: npt.NDArray[np.void],
    slots: npt.NDArray[np.void],
    names: npt.NDArray[np.void],
    initials: Integers,
    noise: Noise,
) -> npt.NDArray[np.void]:
    """Write the names of all slots (WRITTEN); `records` has one more that says where the last ends."""
    written = np.zeros(len(slots), WRITTEN)
    for record in range(len(records) - 1):
        short, inverted = happens(random, noise.initials), happens(random, noise.inverted)
        for slot in range(records[record]["start"], records[record + 1]["start"]):
            write_name(random, names[slots[slot]["person"]], initials, short, noise, written[slot])
            written[slot]["inverted"] = inverted
    return written


@kernel
def misspell(
    old: Bytes, old_starts: Integers, edits: npt.NDArray[np.uint16], new: Bytes, new_starts: Integers
) -> None:
    """Copy words from `old` to `new`, where edit e says which to change, of those with four letters or more.

    e % 4 is the kind: 0 leaves out a letter, 1 doubles it, 2 exchanges it with the next, 3 replaces it; the
    letter is the second or a later one, chosen by e // 4, and never the last. `new` has room for one more
    letter per word.
    """
    end = 0
    for word in range(len(edits)):
        begin, after = old_starts[word], old_starts[word + 1]
        new_starts[word] = end
        for place in range(begin, after):
            new[end + place - begin] = old[place]
        length = after - begin
        if edits[word] > 0 and length >= SHORTEST_MISSPELT:
            length = edit(new[end : end + length + 1], length, edits[word] % 4, edits[word] // 4)
        end += length
    new_starts[len(edits)] = end


@kernel
def edit(word: Bytes, length: int, kind: int, choice: int) -> int:
    """Change one letter in place (see `misspell`); the new length. `word` has room for one letter more."""
    place = 1 + choice % (length - 2)
    if kind == 0:
        word[place : length - 1] = word[place + 1 : length].copy()
        return length - 1
    if kind == 1:
        word[place + 1 : length + 1] = word[place:length].copy()
        return length + 1
    if kind == 2:
        word[place], word[place + 1] = word[place + 1], word[place]
    else:
        word[place] = ord("a") + choice % 26
    return length
