"""A library of invented references, served, and a browser that looks at it.

With SAMEHAND_SCREENSHOTS set to a folder, a picture of every page is written there.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

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
    """A resolved library of about three thousand mentions, hostile records among them, with the lists that a server would
    make of it; to be copied, not changed."""
    from samehand.models.stream.index import ensure_index
    from samehand.web.find.keeper import refresh

    place = make_library(tmp_path_factory.mktemp("web") / "invented.library", 340)
    with Library(place) as library:
        refresh(library)
        ensure_index(library.store)
    return place


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


@dataclass
class Desk:
    """A browser at a served library."""

    driver: Any
    address: str
    library: Path

    def open(self, path: str, *, width: int = 1280, scheme: str = "light") -> None:
        """Go to a page, and wait until nothing of it is on its way."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        self.resize(width)
        self.driver.get(self.address + path)
        self.settle()

    def resize(self, width: int, height: int = 900) -> None:
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)

    def settle(self) -> None:
        until(lambda: not self.all("[data-load]"))

    def all(self, selector: str) -> list[Any]:
        found: list[Any] = self.driver.find_elements("css selector", selector)
        return found

    def one(self, selector: str) -> Any:
        return self.driver.find_element("css selector", selector)

    def run(self, script: str, *arguments: object) -> Any:
        return self.driver.execute_script(script, *arguments)

    def press(self, keys: str) -> None:
        self.one("body").send_keys(keys)

    def press_and_wait(self, keys: str) -> None:
        """Press a key that leads to another page, and wait for that page."""
        self.run("window.isOld = true")
        self.press(keys)
        until(lambda: self.run("return document.readyState === 'complete' && !window.isOld"))
        self.settle()

    def click(self, element: Any) -> None:
        self.run("window.isOld = true; arguments[0].click()", element)
        until(lambda: self.run("return document.readyState === 'complete' && !window.isOld"))
        self.settle()

    def opened(self) -> Library:
        return Library(self.library, create=False)

    @property
    def path(self) -> str:
        return urlsplit(self.driver.current_url).path

    def picture(self, name: str) -> None:
        """A picture of the page, if SAMEHAND_SCREENSHOTS names a folder for pictures."""
        folder = os.environ.get("SAMEHAND_SCREENSHOTS")
        if folder is None:
            return
        width = self.run("return innerWidth")
        height = self.run("return document.documentElement.scrollHeight")
        self.resize(width, min(max(height, 500), 1700))
        Path(folder).mkdir(parents=True, exist_ok=True)
        self.driver.save_screenshot(str(Path(folder) / f"{name}.png"))
        self.resize(width)

    def pages(self) -> dict[str, str]:
        return pages(self.library)


def until(condition: Callable[[], object], seconds: float = 20.0) -> None:
    """Wait for something that happens soon."""
    ends = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < ends, "this never happened"
        time.sleep(0.03)


def pages(library: Path) -> dict[str, str]:
    """Every page by name; entities with much to show."""
    with Library(library) as opened:
        spelled = (
            opened.mentions("author")
            .group_by("entity")
            .agg(pl.col("name").n_unique().alias("names"), pl.len())
        )
        author = spelled.sort("names", "len", "entity", descending=True)["entity"][0]
        paper, venue = (
            opened.entities(kind).sort("size", "id", descending=True)["id"][0] for kind in ("paper", "venue")
        )
        evil = opened.resolve_id("evil1/author/1")
    return {
        "overview": "/",
        "authors": "/authors",
        "papers": "/papers?q=hands",
        "venues": "/venues",
        "search": "/search?q=berg",
        "author": f"/entity/{author}",
        "paper": f"/entity/{paper}",
        "venue": f"/entity/{venue}",
        "hostile": f"/entity/{evil}",
        "merge": f"/entity/{author}/merge",
        "review": "/review",
        "history": "/history",
        "duplicates": "/duplicates",
        "apart": "/duplicates?show=apart",
        "duplicate": f"/duplicates/{paper}",
        "runs": "/runs",
        "run": "/runs/1",
        "evaluation": "/evaluation",
        "rejects": "/rejects",
        "about": "/about",
        "login": "/login",
        "missing": "/entity/nobody",
    }


@pytest.fixture(scope="session")
def desk(
    chromium: Any, finished_library: Path, tmp_path_factory: pytest.TempPathFactory, serve: Any
) -> Iterator[Desk]:
    """The invented library, with a truth that takes people of one initial for one, served to one curator."""
    folder = tmp_path_factory.mktemp("desk")
    library = folder / "desk.library"
    shutil.copy(finished_library, library)
    with Library(library) as opened:
        name = pl.col("name").str.replace(r"^(\w)\S+ ", "$1. ")
        opened.mentions("author").select("id", cluster=name).write_csv(folder / "truth.csv")
    with serve(library, curator="ann", truth=folder / "truth.csv") as address:
        yield Desk(chromium, address, library)


@pytest.fixture(scope="session")
def desk_at() -> type[Desk]:
    """What seats another browser at a served library."""
    return Desk
