"""A library of invented references, served, and a browser that looks at it."""

from __future__ import annotations

import random
import re
import shutil
import socket
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from samehand.library import Library
from samehand.pipeline import resolve
from samehand.read import Records
from samehand.records import REJECTS, Reference, references_frame

OPTIONS = (
    "--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --hide-scrollbars"
)

FIRST = re.findall(
    r"\w+",
    "Ann Andrew Alice Jan Johanna James Jane Maria Miguel Wei Wen Bo Beatrix Karl Klara Sofia Stefano Olga Oleg Priya "
    "Pavan Yuki Yoko Lars Lone Kofi Fatima Farid Chen Chun Eva Emil Tom Tara Ravi Rosa Nils Nora Hugo Helga",
)
LAST = re.findall(
    r"[^|]+",
    "Lee|Berg|van der Berg|García|Zhang|Day|Müller|Rossi|Ivanova|Smith|Patel|Tanaka|Nielsen|Mensah|Haddad|Liu|Novák|"
    "O'Neil|Okafor|Silva|Kowalski|Yilmaz|Jensen|Dubois",
)
TOPICS = {
    "Journal of Hands|J. Hands": "hands palaeography scribes ink ductus letters quills strokes ligatures cursive",
    "Metre and Verse|Metre & Verse": "metre verse prosody rhyme stress feet caesura ballads syllables stanzas",
    "Symposium on Archives|Proc. Symp. Archives": "archives catalogues provenance storage digitisation shelves fonds",
    "Annals of Old Maps|Ann. Old Maps": "maps coastlines projection surveyors atlases compass portolans meridians",
    "Review of Early Printing|Rev. Early Printing": "printing woodcuts presses watermarks folios typefaces colophons",
    "Bells and Clocks|Bells Clocks": "bells clocks escapements pendulums foundries chimes dials gnomons",
    "Journal of Garden History|J. Garden Hist.": "gardens orchards hedges parterres seeds grafting greenhouses tulips",
    "Glass and Glaze|Glass Glaze": "glass glaze kilns enamel furnaces lustre goblets mosaics cobalt",
    "Weaving Letters|Weav. Lett.": "looms weaving indigo tapestries wool silk madder shuttles selvage",
    "Salt and Trade|Salt Trade": "salt harbours tariffs ledgers caravans spices guilds fairs tolls",
}
FRAMES = (
    "On the {} of {}", "{} and {} in early books", "Towards a theory of {} and {}", "A survey of {}, with notes on {}",
    "{} reconsidered: the case of {}", "How {} changed {}", "Automatic recognition of {} and {}",
)  # fmt: skip

HOSTILE_NAME = '<script>document.title="owned"</script><img src=x onerror=alert(1)>'
HOSTILE_TITLE = '"><svg onload=alert(2)> On \u202eHands & {{ 7 * 7 }}'


def invented(papers: int, seed: int = 1) -> list[Reference]:
    """References to so many papers, nearly two for each, by people some of whom share name or initials."""
    draw = random.Random(seed)
    people = sorted({f"{draw.choice(FIRST)} {draw.choice(LAST)}" for _ in range(150)})
    homes = {name: draw.choice(list(TOPICS)) for name in people}
    near = {topic: [name for name in people if homes[name] == topic] for topic in TOPICS}
    found: list[Reference] = []
    for number in range(papers):
        first = draw.choice(people)
        topic = homes[first] if draw.random() < 0.9 else draw.choice(list(TOPICS))
        words = draw.sample(TOPICS[topic].split(), 2)
        friends = draw.sample(near[topic], min(len(near[topic]), draw.randint(0, 4)))
        authors = list(dict.fromkeys([first, *friends]))
        title = draw.choice(FRAMES).format(*words).capitalize()
        year = draw.randint(1988, 2024)
        for copy in range(draw.choice((1, 1, 2, 3))):
            found.append(_reference(draw, number, copy, title, authors, topic, year))
    return found


def _reference(
    draw: random.Random, number: int, copy: int, title: str, authors: list[str], topic: str, year: int
) -> Reference:
    short = draw.random() < 0.4
    source = ("thesis.bib", "colleague.bib", "export.ris")[copy]
    key = f"{authors[0].split()[-1].lower().replace(chr(39), '')}{year}{'abc'[copy]}{number}"
    return Reference(
        source,
        10 * number + 1,
        id=f"{source}:{key}",
        key=key,
        type="article",
        title=title if draw.random() < 0.85 else title.upper(),
        authors=[_initialled(name) if short else name for name in authors],
        venue=draw.choice(topic.split("|")),
        year=year if draw.random() < 0.95 else year + 1,
        volume=str(year - 1980),
        pages=f"{number}-{number + 9}" if draw.random() < 0.6 else None,
    )


def _initialled(name: str) -> str:
    first, _, rest = name.partition(" ")
    return f"{first[0]}. {rest}"


def hostile() -> list[Reference]:
    """Records that would do harm if a page believed them."""
    names = [HOSTILE_NAME, "\u202eevil\u202c Nul\x00ler", "x" * 3_000]
    return [
        Reference(
            "evil.bib",
            n,
            id=f"evil{n}",
            title=HOSTILE_TITLE,
            authors=[name, "Ann Lee"],
            year=2001,
            venue=HOSTILE_NAME,
        )
        for n, name in enumerate(names, start=1)
    ]


def make_library(path: Path, papers: int, *, with_hostile: bool = True) -> Path:
    references = invented(papers) + (hostile() if with_hostile else [])
    with Library(path) as library:
        resolve(
            Records(references_frame(references), pl.DataFrame(schema=REJECTS)), library=library, threads=1
        )
    return path


@pytest.fixture(scope="session")
def finished_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A resolved library of about three thousand mentions, hostile records among them; to be copied, not changed."""
    return make_library(tmp_path_factory.mktemp("web") / "invented.library", 340)


@contextmanager
def serving(library: Path, **settings: Any) -> Iterator[str]:
    """The library served by a thread of this process; the address."""
    import uvicorn

    from samehand.web.app import create_app
    from samehand.web.settings import Settings

    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    app = create_app(str(library), Settings(port=port, **settings))
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=port, log_level="warning"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        thread.join(0.05)
        assert thread.is_alive(), "the server did not start"
    assert app.state.queue.wait(120)
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join()


@pytest.fixture
def library_copy(finished_library: Path, tmp_path: Path) -> Path:
    """A library to change."""
    copy = tmp_path / "copy.library"
    shutil.copy(finished_library, copy)
    return copy


@contextmanager
def opened_browser() -> Iterator[Any]:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    driver = shutil.which("chromedriver")
    if driver is None:
        pytest.skip("chromedriver is missing; run: scripts/browser install")
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or shutil.which("google-chrome") or ""
    options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        for option in (*OPTIONS.split(), f"--user-data-dir={profile}"):
            options.add_argument(option)
        opened = webdriver.Chrome(options=options, service=Service(driver))
        try:
            yield opened
        finally:
            opened.quit()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    with opened_browser() as opened:
        yield opened


@pytest.fixture(scope="session")
def another_browser() -> Callable[[], Any]:
    """What opens one more browser, for a second curator."""
    return opened_browser


@pytest.fixture(scope="session")
def serve() -> Callable[..., Any]:
    """What serves a library."""
    return serving
