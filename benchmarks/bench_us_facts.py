"""companyfacts: JSON to winning periods, beside json.loads of the same bytes and edgartools; and the archive.

The answers are the genuine ones where they lie beside the project, else one written here. Times are processor
seconds of this one thread, ratios medians of alternated rounds. edgartools reads its own JSON; where it is not
installed that is told and nothing is compared. The archive is of as many large issuers as asked, each answer under
its own number: its figure is the peak memory of this process.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import resource
import tempfile
import time
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from connectors.contract.dataset import ArchiveMember, Scope
from connectors.us.companyfacts import dataset as companyfacts_dataset
from connectors.us.companyfacts.parse import parse_companyfacts
from connectors.us.financials.versions import build_statements

SOURCES = Path(__file__).resolve().parents[2] / "shared" / "sources" / "us" / "companyfacts"
ASKED, ASKED_PEER, ASKED_MB = 0.4, 10.0, 2048
LARGE = 1_000_000  # bytes from which an answer is a large issuer's


def run(rounds: int = 9, issuers: int = 2_000) -> list[dict[str, object]]:
    """The answers against json.loads and edgartools, then the archive."""
    bodies = _bodies()
    size = sum(map(len, bodies)) / 1e6
    what = f"{len(bodies)} answers of companyfacts, {size:.1f} MB, to winning periods"
    ours = partial(_each, bodies, _winning)
    against = _result(f"{what}, as a share of json.loads", ours, partial(_each, bodies, json.loads), rounds)
    share = round(1 / against["ratio"], 3)
    against |= {"ratio": share, "asked": f"<= {ASKED:g}", "met": share <= ASKED, "against": "json.loads"}
    return [against, _edgartools(what, bodies, ours, rounds), _archive(bodies, issuers)]


def _winning(body: bytes) -> object:
    statements = build_statements(parse_companyfacts(body).filings.values()).statements
    return {statement.span: statement for statement in statements}


def _edgartools(what: str, bodies: list[bytes], ours: Callable[[], object], rounds: int) -> dict[str, object]:
    if importlib.util.find_spec("edgar") is None:
        return {"name": f"{what}, against edgartools", "against": "edgartools: not installed", "asked": ""}
    parser = importlib.import_module("edgar.entity.parser")

    def peer(body: bytes) -> object:
        return parser.EntityFactsParser.parse_company_facts(json.loads(body))

    result = _result(f"{what}, against edgartools", ours, partial(_each, bodies, peer), rounds)
    return result | {"asked": f">= {ASKED_PEER:g}", "met": result["ratio"] >= ASKED_PEER, "against": "edgartools"}


def _archive(bodies: list[bytes], issuers: int) -> dict[str, object]:
    """A companyfacts.zip of large issuers, read to staged rows pack by pack."""
    large = [body for body in bodies if len(body) >= LARGE] or bodies
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "companyfacts.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            for number in range(issuers):
                archive.writestr(f"CIK{number + 1:010}.json", large[number % len(large)])
        started = time.thread_time()
        rows = _rows(path)
        spent = time.thread_time() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return {
        "name": f"companyfacts.zip of {issuers:,} large issuers to {rows:,} staged rows: peak memory",
        "ours_s": round(spent, 2),
        "asked": f"<= {ASKED_MB} MB",
        "met": peak <= ASKED_MB,
        "peak_mb": peak,
    }


def _rows(path: Path) -> int:
    name = "companyfacts/companyfacts.zip"
    seen = datetime(2026, 1, 1, tzinfo=UTC)
    whole = ArchiveMember(companyfacts_dataset.KEY, name, "0" * 64, seen, Scope.PART, "bench", partial(path.open, "rb"))
    return sum(
        batch.rows.height
        for piece in companyfacts_dataset.split_members(whole)
        for batch in companyfacts_dataset.read_batches(piece)
        if batch.table == "us_facts"
    )


def _result(name: str, ours: Callable[[], object], peer: Callable[[], object], rounds: int) -> dict[str, Any]:
    ours()  # both warm
    peer()
    times = [(_timed(peer), _timed(ours)) for _ in range(rounds)]
    return {
        "name": name,
        "ours_s": round(median(mine for _, mine in times), 4),
        "peer_s": round(median(theirs for theirs, _ in times), 4),
        "ratio": round(median(theirs / mine for theirs, mine in times), 3),
        "unit": "s",
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }


def _timed(work: Callable[[], object]) -> float:
    started = time.thread_time()
    work()
    return time.thread_time() - started


def _each(bodies: list[bytes], work: Callable[[bytes], object]) -> None:
    for body in bodies:
        work(body)


def _bodies() -> list[bytes]:
    """The genuine answers, as the SEC spells them; without those, one written here."""
    if not SOURCES.is_dir():
        return [_written()]
    found = [path.read_bytes() for path in sorted(SOURCES.glob("CIK*.json"))]
    with zipfile.ZipFile(SOURCES / "companyfacts.sample.zip") as archive:
        found += [archive.read(name) for name in archive.namelist()]
    return found


def _written() -> bytes:
    """An issuer of sixty quarters: a few wanted tags among five hundred others."""
    quarters = [(year, quarter) for year in range(2010, 2025) for quarter in range(4)]
    wanted = ("Revenues", "OperatingIncomeLoss", "NetIncomeLoss", "StockholdersEquity", "Assets")
    tags = {name: _tag(quarters, name in wanted[3:]) for name in wanted}
    tags |= {f"Other{number}": _tag(quarters, balance=number % 2 == 0) for number in range(500)}
    return json.dumps({"cik": 1, "entityName": "Written", "facts": {"us-gaap": tags}}).encode()


def _tag(quarters: list[tuple[int, int]], balance: bool) -> dict[str, object]:
    facts = []
    for year, quarter in quarters:
        end = f"{year}-{('03-31', '06-30', '09-30', '12-31')[quarter]}"
        start = {} if balance else {"start": f"{year}-01-01"}
        form = "10-K" if quarter == 3 else "10-Q"
        number = f"0000000001-{year % 100:02}-{quarter:06}"
        facts.append(
            {**start, "end": end, "val": 1000 + year, "accn": number, "fy": year, "fp": "FY"}
            | {"form": form, "filed": f"{year + 1}-02-15"}
        )
    return {"label": "x", "description": "y" * 200, "units": {"USD": facts}}
