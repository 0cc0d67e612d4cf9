"""Names in Chinese, Japanese and Korean script: the family name comes first.

Without a space the family name is one character, or two if it is a known compound or the name has four
characters (a Japanese name in its commonest length). Names in kana alone are not divided.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_CJK = re.compile(
    "[\u3005\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]+"
)
_KANA = re.compile("[\u3040-\u30ff]")
_COMPOUND = re.compile(
    "欧阳|歐陽|司马|司馬|诸葛|諸葛|上官|司徒|夏侯|皇甫|尉迟|尉遲|公孙|公孫|慕容|令狐|长孙|長孫|宇文|东方|東方|"
    "南宫|南宮|남궁|황보|제갈|사공|선우|독고"
)


def is_cjk(word: str) -> bool:
    """Whether a word is wholly in Chinese, Japanese or Korean script.

    >>> is_cjk("王伟"), is_cjk("김민수"), is_cjk("Wang")
    (True, True, False)
    """
    return _CJK.fullmatch(word) is not None


def divide_cjk(words: Sequence[str]) -> tuple[str, str]:
    """Given name and family name.

    >>> divide_cjk(["王伟"]), divide_cjk(["司马迁"]), divide_cjk(["山田", "太郎"])
    (('伟', '王'), ('迁', '司马'), ('太郎', '山田'))
    """
    if len(words) > 1:
        return "".join(words[1:]), words[0]
    word = words[0]
    if not 2 <= len(word) <= 4 or _KANA.search(word):
        return "", word
    family = 2 if len(word) == 4 or (len(word) > 2 and _COMPOUND.match(word)) else 1
    return word[family:], word[:family]


def join_cjk(first: str, last: str) -> str:
    """The name as it is written: family name first, a space only where it is needed to tell the two apart.

    >>> join_cjk("伟", "王"), join_cjk("太郎", "佐々木")
    ('王伟', '佐々木 太郎')
    """
    whole = last + first
    return whole if divide_cjk([whole]) == (first, last) else f"{last} {first}".strip()
