"""LaTeX to text: every way of writing an accent, and the promise never to raise and never to be slow."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from samehand.normalise.latex import decode, decode_name, decode_url, is_plain

ACCENTS = [
    (r"{\"o}", "ö"),
    (r"\"{o}", "ö"),
    (r"\"o", "ö"),
    (r"{\"{o}}", "ö"),
    (r"\'{\i}", "í"),
    (r"{\'\i}", "í"),
    (r"\'{\i}", "í"),
    (r"\v{c}", "č"),
    (r"\v c", "č"),
    (r"{\v c}", "č"),
    (r"\c{c}", "ç"),
    (r"\k{a}", "ą"),
    (r"\r{a}", "å"),
    (r"\H{o}", "ő"),
    (r"\u{g}", "ğ"),
    (r"\d{s}", "ṣ"),
    (r"\b{d}", "ḏ"),
    (r"\t{oo}", "o͡o"),
    (r"\.{z}", "ż"),
    (r"\={a}", "ā"),
    (r"\~n", "ñ"),
    (r"\^{\i}", "î"),
    (r"\`a", "à"),
    (r"\'{\^e}", "ế"),
    (r"\'{\ae}", "ǽ"),
    (r"\.I", "İ"),
]

TEXTS = [
    (r"Stra{\ss}e, stra\ss e", "Straße, straße"),
    (r"{\O}stergaard \o{} {\L}ukasz \l{}", "Østergaard ø Łukasz ł"),
    (r"{\AA}ngstr\"om {\ae}on \OE uvre {\dh} {\th}", "Ångström æon Œuvre ð þ"),
    (r"R\&D 5\% \$3 \#1 a\_b \{x\}", "R&D 5% $3 #1 a_b {x}"),
    (r"1\textendash{}2 it\textquoteright{}s \copyright{} x\ldots", "1–2 it’s © x…"),
    ("a---b, 1--2, ``so'', `x'", "a—b, 1–2, “so”, ‘x'"),
    (r"Fig.~3 J.\,K. a\ b shelf\/ful hy\-phen", "Fig. 3 J. K. a b shelfful hyphen"),
    (r"{\em one} \textit{two three} {\bf four} \textsc{Five} \mbox{six}", "one two three four Five six"),
    (r"\url{http://a.org/~b_c--d} \href{http://x.org/}{here}", "http://a.org/~b_c--d here"),
    (r"$\alpha$-$\beta$ in $O(n^2)$, H$_2$O, 10$^{-3}$, 4$^{th}$", "α-β in O(n²), H₂O, 10⁻³, 4th"),
    (r"$a \times b \leq \infty$, $\mathcal{L}_{\max}$", "a × b ≤ ∞, L_max"),
    (r"\ensuremath{\Omega} \unknown{kept} \alsounknown", "Ω kept"),
    (r"{\noopsort{1973}}Works", "Works"),
    (r"The {\TeX}book and \LaTeX{} too", "The TeXbook and LaTeX too"),
    ("AT&T R&amp;D caf&eacute; &#233; \\&amp;", "AT&T R&D café é &"),
    ("  two\n\twords  ", "two words"),
    ("e\u0301", "é"),
    ("The $100 Laptop", "The $100 Laptop"),
    (r"Mu{\textbackslash}{\textasciitilde}noz", "Muñoz"),
    (r"{\$}{\backslash}alpha{\$}-stable", "α-stable"),
    ("", ""),
    ("\\", ""),
    (r"{{{{deep}}}}", "deep"),
]

NAMES = [
    ("{World Health Organization}", "{World Health Organization}"),
    ("Jan {van der Berg}", "Jan {van der Berg}"),
    ("{van der Berg}, Jan", "{van der Berg}, Jan"),
    ("{NASA}", "{NASA}"),
    (r"{{\'E}cole Normale}", "{École Normale}"),
    ("{Knuth}, Donald", "Knuth, Donald"),
    (r"G{\"o}del, Kurt", "Gödel, Kurt"),
    ("Mc{D}onald", "McDonald"),
    (r"{\v C}apek, Karel", "Čapek, Karel"),
    (r"{\v{C}}apek", "Čapek"),
    (r"\textsc{de la} Cruz", "de la Cruz"),
    ("{Barnes, Inc.} {and} Co", "{Barnes, Inc.} and Co"),
    ("un{closed, name", "unclosed, name"),
    ("{}", ""),
]


@pytest.mark.parametrize(("latex", "text"), ACCENTS + TEXTS)
def test_latex_is_decoded(latex: str, text: str) -> None:
    assert decode(latex) == unicodedata.normalize("NFC", text)


@pytest.mark.parametrize(("latex", "text"), NAMES)
def test_names_keep_the_braces_that_group(latex: str, text: str) -> None:
    assert decode_name(latex) == text


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        (r"\url{http://a.org/x\_y}", "http://a.org/x_y"),
        (r"http://a.org/\~{}me", "http://a.org/~me"),
        (r"http://a.org/$\sim$me/a--b%20c", "http://a.org/~me/a--b%20c"),
        ("http://a.org/ ", "http://a.org/"),
    ],
)
def test_addresses_keep_what_text_would_lose(latex: str, text: str) -> None:
    assert decode_url(latex) == text


TOKENS = [
    "\\v",
    "\\i",
    "\\textbackslash",
    "\\alpha",
    "\\url{",
    "\\cite[",
    "amp",
    *"\\{}$'\"`~-^_&; \nai0#é\0",
]
LATEX_LIKE = st.lists(st.sampled_from(TOKENS)).map("".join)


@example("\\textbackslash}")
@given(st.one_of(LATEX_LIKE, st.text()))
def test_nothing_raises_and_the_result_is_tidy(text: str) -> None:
    for result in (decode(text), decode_name(text)):
        assert unicodedata.is_normalized("NFC", result)
        assert result == result.strip()
    assert decode_name(text).count("{") == decode_name(text).count("}")


@given(st.text(alphabet=st.characters(categories=["L", "N"]), max_size=20))
def test_plain_words_stay_as_they_are(word: str) -> None:
    assert decode(word) == unicodedata.normalize("NFC", word)
    assert decode("{" + word + "}") == unicodedata.normalize("NFC", word)


@given(LATEX_LIKE)
def test_plain_text_needs_no_decoding(text: str) -> None:
    if is_plain(text):
        assert decode(text) == text.strip()
