"""The laws a generated bibliography follows, and their fitted values: one `Profile` per kind of source.

The values were fitted by hand to counts of two public labelled sets (`samehand bench generate` compares them
again); no name, word or row of theirs is used. What each law follows:

- Papers per person: preferential attachment, the more papers the more likely the next (Simon 1955, "On a
  class of skew distribution functions"), which gives Lotka's power law (1926); careers that end cut it off.
- Teams: an incumbent or a newcomer, a past partner or anyone of the group (Guimerà, Uzzi, Spiro, Amaral 2005,
  "Team assembly mechanisms determine collaboration network structure and team performance").
- Team sizes: log-normal, growing with the years (Wuchty, Jones, Uzzi 2007, "The increasing dominance of teams
  in production of knowledge").
- Papers per year: exponential growth (Price 1963, "Little science, big science").
- Names and title words: the law of Zipf and Mandelbrot (1953), frequency of rank r proportional to
  (r + shift) ** -exponent; a culture with few surnames has a small `last_count`.

The groups are named tuples because kernels can take those.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Teams(NamedTuple):
    """How a field of research grows: its communities, careers and papers (teams.py)."""

    field_mentions: int  # fields are independent of one another but for the names people share
    communities: int
    community_exponent: float  # community of rank r gets a share proportional to r ** -exponent
    first_year: int
    last_year: int
    growth_years: float  # papers per year grow by a factor e in this time
    newcomer: float  # probability that an author slot goes to somebody new
    standing: int  # papers a newcomer counts as having already: more of it, fewer one-paper persons
    partner: float  # probability that a co-author is a past partner of the first author
    outside: float  # probability that a co-author is from another community of the field
    career_years: float  # mean of the exponential length of careers
    move: float  # share of persons who change community at mid-career
    team_log_mean: float  # of the team size in the last year
    team_log_spread: float
    team_growth: float  # of team_log_mean, per year
    recite: float  # probability that a record is another citation of a paper already cited


class Subjects(NamedTuple):
    """Where title words and venues come from (subjects.py)."""

    words: float  # mean number of words of a title
    words_spread: float
    function_words: float  # shares of the words of a title; the rest is the community's topic
    common_words: float
    own_words: float  # from the subject of the first author
    venues: int  # per field
    full_venue: float  # shares of the written forms of a venue; the rest are acronyms
    short_venue: float
    no_venue: float
    no_year: float


class Noise(NamedTuple):
    """How sources write names (noise.py); the first two are decided once for a whole record."""

    initials: float
    inverted: float  # "Last, First"
    mixed: float  # probability that one name departs from the initials or full names of its record
    no_middle: float  # probability that an existing middle name is left out
    full_middle: float  # probability that it is written in full where first names are
    hyphen: float  # probability that a given name of two parts is written another way
    misspelt: float  # probability of one edit in the last name, and of one in the first
    swapped: float  # probability that first and last name change places


class Culture(NamedTuple):
    """A culture of naming: how many names there are, and how they concentrate (names.py)."""

    share: float  # of communities whose main culture this is, and of newcomers from elsewhere
    last_count: int
    last_shift: float
    last_exponent: float
    first_count: int
    first_shift: float
    first_exponent: float
    two_parts: bool  # given names have two parts: "Jin-Mo", "Jinmo", "Jin Mo"
    middle: float  # share of persons who have a middle name


@dataclass(frozen=True)
class Profile:
    """All laws of one kind of source."""

    teams: Teams
    subjects: Subjects
    noise: Noise
    cultures: tuple[Culture, ...]
    homophily: float  # probability that a newcomer is of the community's main culture


FEW_SURNAMES = Culture(0.42, 260, 1.2, 1.3, 9_000, 6.0, 1.25, True, 0.0)
MIDDLE_NAMES = Culture(0.30, 90_000, 60.0, 1.05, 4_000, 8.0, 1.15, False, 0.4)
MANY_SURNAMES = Culture(0.38, 300_000, 200.0, 0.9, 12_000, 20.0, 1.05, False, 0.05)

ACL_A = Profile(
    Teams(
        field_mentions=20_000,
        communities=50,
        community_exponent=0.8,
        first_year=1961,
        last_year=2026,
        growth_years=9.0,
        newcomer=0.072,
        standing=2,
        partner=0.1,
        outside=0.2,
        career_years=14.0,
        move=0.15,
        team_log_mean=1.51,
        team_log_spread=0.49,
        team_growth=0.02,
        recite=0.0,
    ),
    Subjects(
        words=9.8,
        words_spread=3.4,
        function_words=0.25,
        common_words=0.2,
        own_words=0.2,
        venues=30,
        full_venue=0.1,
        short_venue=0.05,
        no_venue=0.0,
        no_year=0.0,
    ),
    Noise(
        initials=0.0004,
        inverted=0.0,
        mixed=0.0003,
        no_middle=0.3,
        full_middle=0.1,
        hyphen=0.02,
        misspelt=0.002,
        swapped=0.0005,
    ),
    (FEW_SURNAMES, MIDDLE_NAMES, MANY_SURNAMES),
    0.6,
)
"""Names mostly in full, curated: like the labelled set authors/acl-a."""

REXA = Profile(
    Teams(
        field_mentions=7_500,
        communities=10,
        community_exponent=1.2,
        first_year=1964,
        last_year=2004,
        growth_years=5.5,
        newcomer=0.31,
        standing=0,
        partner=0.5,
        outside=0.05,
        career_years=12.0,
        move=0.1,
        team_log_mean=1.1,
        team_log_spread=0.58,
        team_growth=0.015,
        recite=0.56,
    ),
    Subjects(
        words=7.7,
        words_spread=2.7,
        function_words=0.25,
        common_words=0.2,
        own_words=0.2,
        venues=30,
        full_venue=0.4,
        short_venue=0.4,
        no_venue=0.19,
        no_year=0.017,
    ),
    Noise(
        initials=0.77,
        inverted=0.15,
        mixed=0.03,
        no_middle=0.05,
        full_middle=0.05,
        hyphen=0.02,
        misspelt=0.01,
        swapped=0.003,
    ),
    (FEW_SURNAMES._replace(share=0.06), MIDDLE_NAMES._replace(share=0.7, last_shift=15.0), MANY_SURNAMES),
    0.6,
)
"""Initials, citation-like, papers cited again and again: like the labelled set authors/rexa."""

PROFILES = {"acl-a": ACL_A, "rexa": REXA}
