"""Speed and memory of reading, on one core: records per second, beside a plain scan of the same bytes.

Each row is measured in a process of its own with Polars held to one thread. `scan_seconds` is the time that
counting the line ends of the file takes in the same process, `ratio` how many times longer reading took. The
input is real where --data has it (`input` says so), and generated otherwise.
"""

from __future__ import annotations

import gzip
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from samehand.bench import Options, Row
from samehand.errors import SamehandError

CHUNK = 1 << 20
_SYLLABLES = [first + last for first in "bcdfghklmnprstvz" for last in ("an", "el", "i", "or", "ut")]


def run(options: Options) -> Iterator[Row]:
    """Rows for each format, for preparing author mentions, and for memory at one and ten times the size."""
    with tempfile.TemporaryDirectory() as folder:
        for name, write in _INPUTS.items():
            if options.wants(name):
                path = Path(folder, name)
                origin = write(path, options)
                yield {"bench": "read", "set": name, "method": "batches", "input": origin} | _measured(
                    "file", path
                )
                path.unlink()
        if options.wants("prepare"):
            count = 100_000 if options.quick else 1_000_000
            yield {
                "bench": "read",
                "set": "prepare",
                "method": "author mentions",
                "input": "generated",
            } | _measured("prepare", str(count), str(options.seed))
        if options.wants("memory"):
            yield from _memory_rows(Path(folder), options)


def _measured(what: str, *arguments: object) -> Row:
    """The figures that this module prints when it is run as a program."""
    command = [sys.executable, "-m", __name__, what, *map(str, arguments)]
    environment = {**os.environ, "POLARS_MAX_THREADS": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise SamehandError(f"the measuring process failed: {done.stderr.strip()[-500:]}")
    return dict(json.loads(done.stdout))


def _memory_rows(folder: Path, options: Options) -> Iterator[Row]:
    rows = 20_000 if options.quick else 100_000
    for times in (1, 10):
        path = folder / f"memory-{times}.jsonl"
        _write_generated(path, times * rows, _json_row, options.seed)
        row = {"bench": "read", "set": "memory", "method": f"{times} x {rows:,} rows", "input": "generated"}
        yield row | _measured("file", path)
        path.unlink()


def _write_bibtex(path: Path, options: Options) -> str:
    files = sorted((options.data / "bibtex").glob("*.bib")) if options.data else []
    if not files:
        return _write_generated(path, 5_000 if options.quick else 50_000, _bibtex_entry, options.seed)
    with path.open("wb") as file:
        for source in files[: 20 if options.quick else None]:
            file.write(source.read_bytes() + b"\n")
    return "bibtex/*.bib"


def _write_dblp(path: Path, options: Options) -> str:
    sample = options.data / "formats" / "dblp-sample2.xml.gz" if options.data else None
    if sample is None or not sample.exists():
        origin = _write_generated(path, 10_000 if options.quick else 200_000, _dblp_record, options.seed)
        path.write_bytes(b"<dblp>\n" + path.read_bytes() + b"</dblp>\n")
        return origin
    content = gzip.decompress(sample.read_bytes())
    start, end = content.index(b"<dblp>") + len(b"<dblp>"), content.rindex(b"</dblp>")
    with path.open("wb") as file:
        file.write(content[:start])
        for _ in range(4 if options.quick else 40):
            file.write(content[start:end])
        file.write(content[end:])
    return f"{sample.name}, repeated"


def _write_jsonl(path: Path, options: Options) -> str:
    sample = options.data / "authors" / "acl-a.jsonl.gz" if options.data else None
    if sample is None or not sample.exists():
        return _write_generated(path, 20_000 if options.quick else 200_000, _json_row, options.seed)
    content = gzip.decompress(sample.read_bytes())
    path.write_bytes(content[: content.index(b"\n", len(content) // 5) + 1] if options.quick else content)
    return sample.name


def _write_csv(path: Path, options: Options) -> str:
    origin = _write_generated(path, 20_000 if options.quick else 200_000, _csv_row, options.seed)
    path.write_bytes(b"id,title,authors,venue,year\n" + path.read_bytes())
    return origin


_INPUTS: dict[str, Callable[[Path, Options], str]] = {
    "bibtex": _write_bibtex,
    "dblp": _write_dblp,
    "jsonl": _write_jsonl,
    "csv": _write_csv,
}


def _write_generated(path: Path, count: int, row: Callable[[random.Random, int], str], seed: int) -> str:
    source = random.Random(seed)
    with path.open("w", encoding="utf-8") as file:
        for number in range(count):
            file.write(row(source, number) + "\n")
    return "generated"


def _words(source: random.Random, count: int) -> str:
    return " ".join("".join(source.choices(_SYLLABLES, k=2)) for _ in range(count)).capitalize()


def _name(source: random.Random) -> str:
    first, last = source.choices(_SYLLABLES, k=2), source.choices(_SYLLABLES, k=3)
    return f"{''.join(first).capitalize()} {source.choice('ABCDEFG')}. {''.join(last).capitalize()}"


def _json_row(source: random.Random, number: int) -> str:
    names = [_name(source) for _ in range(source.randint(1, 6))]
    row = {
        "id": f"m{number}",
        "name": names[0],
        "title": _words(source, 9),
        "venue": _words(source, 4),
        "year": source.randint(1960, 2024),
        "coauthors": names[1:],
        "position": 0,
    }
    return json.dumps(row)


def _csv_row(source: random.Random, number: int) -> str:
    names = "; ".join(_name(source) for _ in range(source.randint(1, 5)))
    year = source.randint(1960, 2024)
    return f'm{number},"{_words(source, 9)}","{names}","{_words(source, 4)}",{year}'


def _dblp_record(source: random.Random, number: int) -> str:
    people = "".join(f"<author>{_name(source)}</author>\n" for _ in range(source.randint(1, 5)))
    return (
        f'<article key="journals/x/{number}">\n{people}<title>{_words(source, 9)}.</title>\n'
        f"<journal>{_words(source, 3)}</journal>\n<year>{source.randint(1960, 2024)}</year>\n"
        f"<ee>https://doi.org/10.1000/x{number}</ee>\n</article>"
    )


def _bibtex_entry(source: random.Random, number: int) -> str:
    people = " and ".join(_name(source) for _ in range(source.randint(1, 5)))
    return (
        f"@article{{key{number},\n  title = {{{_words(source, 9)}}},\n  author = {{{people}}},\n"
        f'  journal = "{_words(source, 3)} f{{\\"u}}r",\n  year = {source.randint(1960, 2024)}\n}}\n'
    )


def _measure_file(path: str) -> Row:
    """Reads a file by batches, and scans its bytes."""
    from samehand.read import read_batches

    started = time.perf_counter()
    size = lines = 0
    with open(path, "rb") as file:
        while chunk := file.read(CHUNK):
            size += len(chunk)
            lines += chunk.count(b"\n")
    scanned, cpu = time.perf_counter(), time.process_time()
    references = rejects = 0
    for batch in read_batches(path):
        references += batch.references.height
        rejects += batch.rejects.height
    seconds = time.perf_counter() - scanned
    figures = _figures(references + rejects, seconds, time.process_time() - cpu)
    scan_seconds = scanned - started
    return {
        **figures,
        "rejects": rejects,
        "bytes": size,
        "scan_seconds": round(scan_seconds, 4),
        "ratio": round(seconds / scan_seconds, 1),
    }


def _measure_prepare(count: int, seed: int) -> Row:
    """Turns generated references into author mentions."""
    from samehand.normalise.mentions import author_mentions
    from samehand.records import Reference, references_frame

    source = random.Random(seed)
    references = []
    for number in range(count):
        names = [_name(source) for _ in range(3)]
        record = Reference("x", number, id=f"m{number}", scope="author", authors=names, focus=0)
        references.append(record)
    frame = references_frame(references)
    del references
    started, cpu = time.perf_counter(), time.process_time()
    mentions = author_mentions(frame)
    return _figures(mentions.height, time.perf_counter() - started, time.process_time() - cpu)


def _figures(records: int, seconds: float, cpu_seconds: float) -> Row:
    """Rates by the clock; `cpu_seconds` tells how much of it this process had on a busy machine."""
    import resource

    return {
        "records": records,
        "seconds": round(seconds, 3),
        "cpu_seconds": round(cpu_seconds, 3),
        "records_per_second": round(records / seconds),
        "peak_mib": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1),
    }


if __name__ == "__main__":
    what, *arguments = sys.argv[1:]
    figures = _measure_file(arguments[0]) if what == "file" else _measure_prepare(*map(int, arguments))
    print(json.dumps(figures))
