"""Invented names and words: strings of syllables, one for each rank, made by Arrow without a loop over them.

Every syllable begins with a consonant, and the numbers of a rank's syllables are the digits of a scrambled
rank, so that different ranks are (nearly always) different words and neighbours in rank are not alike.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

ONSETS = [
    "b",
    "d",
    "f",
    "g",
    "h",
    "j",
    "k",
    "l",
    "m",
    "n",
    "p",
    "r",
    "s",
    "t",
    "v",
    "w",
    "y",
    "z",
    "br",
    "ch",
    "dr",
    "gr",
    "kr",
    "pl",
    "sh",
    "st",
    "tr",
]
RIMES = [
    "a",
    "e",
    "i",
    "o",
    "u",
    "an",
    "en",
    "in",
    "on",
    "ar",
    "er",
    "or",
    "al",
    "el",
    "ai",
    "ei",
    "ou",
    "as",
    "is",
    "ek",
    "ur",
    "am",
]
SHORT_RIMES = ["a", "i", "o", "u", "an", "en", "ang", "ing", "ong", "ai", "ao", "ei", "ou", "ia", "iu", "un"]
ENDINGS = ["tion", "ing", "al", "ity", "ic", "ism", "ment", "ive", "ous", "age", "ence", "ure"]


def syllables(onsets: list[str], rimes: list[str]) -> pa.StringArray:
    """All pairs of an onset and a rime, the onset changing fastest.

    >>> syllables(["b", "st"], ["a", "en"]).to_pylist()
    ['ba', 'sta', 'ben', 'sten']
    """
    return pa.array([onset + rime for rime in rimes for onset in onsets])


LONG = syllables(ONSETS, RIMES)
SHORT = syllables([*ONSETS[:17], "zh", "ch", "sh", "x", "q"], SHORT_RIMES)


def scrambled(count: int, modulus: int, variety: int = 0) -> npt.NDArray[np.int64]:
    """The numbers 0 to `count` - 1 under a one-to-one map of the numbers below `modulus`.

    Each `variety` is another map.

    >>> sorted(scrambled(5, 5).tolist())
    [0, 1, 2, 3, 4]
    """
    multiplier = max(1, int(modulus * 0.618))
    while np.gcd(multiplier, modulus) != 1:
        multiplier += 1
    return (np.arange(count, dtype=np.int64) * multiplier + variety * modulus // 7) % modulus


def words(inventory: pa.StringArray, length: int, count: int, variety: int = 0) -> list[pa.StringArray]:
    """The syllables of `count` words of `length` syllables each, one array per place.

    >>> [part.to_pylist() for part in words(syllables(["b", "d"], ["a", "o"]), 2, 2)]
    [['ba', 'da'], ['ba', 'bo']]
    """
    code = scrambled(count, len(inventory) ** length, variety)
    parts = []
    for _ in range(length):
        parts.append(inventory.take(pa.array(code % len(inventory))))
        code //= len(inventory)
    return parts


def joined(parts: list[pa.StringArray], separator: str = "") -> pa.StringArray:
    """The parts of each word as one word.

    >>> joined([pa.array(["ba"]), pa.array(["do"])], "-").to_pylist()
    ['ba-do']
    """
    return pc.binary_join_element_wise(*parts, separator)


def mixed_lengths(inventory: pa.StringArray, count: int, variety: int = 0) -> pa.StringArray:
    """Words of two and three syllables in turn.

    >>> mixed_lengths(syllables(["b", "d"], ["a", "o"]), 4).to_pylist()
    ['baba', 'bababa', 'dabo', 'dodabo']
    """
    short = joined(words(inventory, 2, (count + 1) // 2, variety))
    long = joined(words(inventory, 3, count // 2, variety))
    order = np.empty(count, np.int64)
    order[0::2] = np.arange(len(short))
    order[1::2] = len(short) + np.arange(len(long))
    return pa.concat_arrays([short, long]).take(pa.array(order))
