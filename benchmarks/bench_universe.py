"""The full universe: five registers and their accounts taken in for the first time, then days, then releases.

Every step is a process of its own, as an operator starts it; its figures are the time that passes, the time of
processors, the most memory that it and its children hold together, and what the data folder grows by. Files of
the registries are written once and kept (`kept`). Accounts are staged beforehand: reading them has its
own benchmark; one company in a hundred files newer ones, which are read. Disk is compared with Parquet of the
same tables and the document store. Does not belong here: what the registers say (`universe_files`,
`universe_documents`).
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from benchmarks import kept, universe_accounts, universe_documents, universe_files
from benchmarks.api_world import written
from benchmarks.processes import ended_worked, watched
from sandbox.world import FIRST_DAY
from warehouse.publish.release_tables import open_release_tables
from warehouse.release import manifest
from warehouse.release.manifest import MANIFEST
from warehouse.release.segments import DOCUMENTS, NAMES
from warehouse.storage.duckdb import string_literal
from warehouse.storage.layout import Layout

_ROOT: Final = Path(__file__).resolve().parents[1]
_FULL: Final = 10_000_000  # companies to which the limits belong
_MIB: Final = 1 << 20
STAGED: Final = "20000101T000000000Z"  # the batch of staged accounts: before those of any clock


def run(companies: int = 100_000, days: int = 2) -> list[dict[str, object]]:
    """One result a step: seconds, mebibytes of memory, bytes of the data folder."""
    folder = _files(companies, days)
    documents = document_files(folder, companies)
    with tempfile.TemporaryDirectory(dir=folder.parent) as place:
        data = Path(place) / "data"
        stage_accounts(data, companies)
        steps = Steps(data, companies)
        return [*_steps(steps, folder, days, documents), _disk(Layout(data), companies)]


def _steps(steps: Steps, folder: Path, days: int, documents: Path) -> Iterator[dict[str, object]]:
    markets = [market.lower() for market in universe_files.SHARES]
    for day in range(days):
        at = (FIRST_DAY + timedelta(days=day)).isoformat()
        ingest = _ingesting(folder / at, f"{at}T05:00:00", markets)
        if day == 0:
            yield steps.run("first load", ingest, minutes=90, gigabytes=8)
            yield read_documents(steps, documents)
        else:
            ingest += ["--at-once", "2"]
            yield steps.run(f"day {day}, one in a hundred changed", ingest, minutes=10, gigabytes=8)
            yield steps.published(f"day {day}, its patched release", seconds=90)
    codes = [market.upper() for market in markets]
    yield steps.run("full release", ["-m", "benchmarks.full_release", *codes], minutes=8, gigabytes=4)


def _ingesting(folder: Path, at: str, markets: list[str]) -> list[str]:
    return ["-m", "firm", "ingest", *markets, "--from", str(folder), "--at", at]


def read_documents(steps: Steps, documents: Path) -> dict[str, object]:
    """The documents taken in, between the first load and the day after; nothing else comes with them."""
    markets = [market.lower() for market in universe_documents.MARKETS]
    name = "accounts of one company in a hundred, as documents"
    ingest = _ingesting(documents, f"{universe_documents.AT:%Y-%m-%dT%H:%M:%S}", markets)
    return steps.run(name, ingest, minutes=10, gigabytes=8)


class Steps:
    """Steps over one data folder, one after the other."""

    def __init__(self, data: Path, companies: int) -> None:
        self._data, self._companies = data, companies

    def published(self, name: str, *, seconds: float) -> dict[str, object]:
        """How long the newest release took, from looking at the histories to its manifest, its last file."""
        newest = manifest.served_manifest(Layout(self._data))
        if newest is None:
            raise RuntimeError(f"{name}: nothing is published")
        took = Layout(self._data).release_folder(newest.release).joinpath(MANIFEST).stat().st_mtime
        took -= newest.built_at.timestamp()
        return {
            "name": f"{written(self._companies)} companies, {name}",
            "ours_s": round(took, 1),
            "asked": f"<= {seconds:g} s at 10 M",
            **({"met": took <= seconds} if self._companies >= _FULL else {}),
        }

    def run(self, name: str, arguments: list[str], *, minutes: float, gigabytes: float) -> dict[str, object]:
        """Runs one to its end; the limits are told, and judged at full size only."""
        inherited = {key: value for key, value in os.environ.items() if not key.startswith("FIRM_")}
        environment = {**inherited, "FIRM_DATA": str(self._data), "FIRM_KEEP_RELEASES": "2", "PYTHONPATH": str(_ROOT)}
        before, worked, began = size(self._data), ended_worked(), time.perf_counter()
        with (
            subprocess.Popen([sys.executable, *arguments], cwd=_ROOT, env=environment, stdout=sys.stderr) as process,
            watched(process.pid) as peak,
        ):
            code = process.wait()
        seconds = time.perf_counter() - began
        if code:
            raise RuntimeError(f"{name}: ended with code {code}")
        megabytes = peak.together
        met = seconds <= minutes * 60 and megabytes <= gigabytes * 1024
        return {
            "name": f"{written(self._companies)} companies, {name}",
            "ours_s": round(seconds, 1),
            "worked_s": round(ended_worked() - worked, 1),
            "peak_mb": megabytes,
            "own_mb": peak.own,
            "grown_bytes": size(self._data) - before,
            "asked": f"<= {minutes:g} min, {gigabytes:g} GiB at 10 M",
            **({"met": met} if self._companies >= _FULL else {}),
        }


def _files(companies: int, days: int) -> Path:
    """The registers' files, found or written."""
    folder = kept.folder() / f"universe-{companies}-{days}"
    if not (folder / "whole").exists():
        print(f"writing the files of {companies:,} companies in {folder}, once", file=sys.stderr, flush=True)
        shutil.rmtree(folder, ignore_errors=True)
        for day in range(days):
            universe_files.write_day(folder, day, companies, days)
        (folder / "whole").touch()
    return folder


def document_files(folder: Path, companies: int) -> Path:
    """Documents beside the registers' files, found or written."""
    documents = folder / "documents"
    if not documents.exists():
        began = folder / "documents.begun"
        shutil.rmtree(began, ignore_errors=True)
        universe_documents.write(began, companies)
        began.rename(documents)
    return documents


def stage_accounts(data: Path, companies: int) -> None:
    """The accounts of all companies, staged on the first day."""
    at = datetime.combine(FIRST_DAY, universe_files.NIGHT, UTC)
    for market, count in universe_files.sizes(companies).items():
        universe_accounts.stage(Layout(data), market, count, at, STAGED)


def size(folder: Path) -> int:
    """Bytes of all files below a folder; a segment that several releases have counts once."""
    files = {path.stat().st_ino: path.stat().st_size for path in folder.rglob("*") if path.is_file()}
    return sum(files.values())


def _disk(layout: Layout, companies: int) -> dict[str, object]:
    """A release beside Parquet of its tables and its documents."""
    number = max(manifest.release_numbers(layout))
    release, segments = layout.release_folder(number), manifest.read_manifest(layout, number).segments
    with tempfile.TemporaryDirectory(dir=layout.root) as place, open_release_tables(layout, number) as database:
        tables = database.execute("SELECT view_name FROM duckdb_views() WHERE temporary AND NOT internal").fetchall()
        for (table,) in tables:
            path = Path(place) / f"{table}.parquet"
            database.execute(f'COPY (FROM "{table}") TO {string_literal(str(path))} (FORMAT parquet, COMPRESSION zstd)')
        parquet = size(Path(place))
    names = {segment.files[kind] for segment in segments for kind in (DOCUMENTS, NAMES)}
    documents = sum((release / name).stat().st_size for name in names)
    ours = size(release)
    return {
        "name": f"{written(companies)} companies, bytes of a release",
        "against": "Parquet of its tables, and its documents",
        "ours_mb": ours // _MIB,
        "peer_mb": (parquet + documents) // _MIB,
        "ratio": round(ours / (parquet + documents), 2),
        "asked": "<= 1.5",
        "met": ours <= 1.5 * (parquet + documents),
    }
