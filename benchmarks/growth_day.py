"""One day of a dataset that is looked up company by company, over a past of any length.

A process of its own (`python -m benchmarks.growth_day`), so that its memory is its own. Prints what it measured as
JSON. Does not belong here: the past (`bench_growth`).
"""

from __future__ import annotations

import io
import json
import resource
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import polars as pl

from connectors.contract.dataset import Cadence, Dataset, GuardLimits, Jurisdiction, Licence, RecognisedFile
from connectors.contract.pieces import REJECT_COLUMNS, ArchiveMember, Batch, FetchedFile, Scope
from pipelines.runtime.batch_ids import batch_name
from pipelines.settings import IngestSettings
from pipelines.steps import fetch, stage
from pipelines.workspace import Workspace
from warehouse.schema.types import Column, ColumnKind, Table

KEY: Final = "fi.answers"
FIRST_DAY: Final = datetime(2023, 1, 1, 4, tzinfo=UTC)
TABLE: Final = Table(
    "fi_answers",
    "Answers about companies.",
    ("number",),
    (
        Column("number", ColumnKind.TEXT, "Company number.", nullable=False),
        Column("revenue", ColumnKind.INTEGER, "Revenue."),
    ),
)


def _recognise(path: Path) -> RecognisedFile:
    raise NotImplementedError(path)


def _split(member: ArchiveMember) -> Iterator[ArchiveMember]:
    yield member


def _read(member: ArchiveMember) -> Iterator[Batch]:
    with member.open() as body:
        answer = json.loads(body.read())
    rows = pl.DataFrame([answer], schema={"number": pl.String(), "revenue": pl.Int64()})
    yield Batch(TABLE.name, rows, pl.DataFrame(schema=dict.fromkeys(REJECT_COLUMNS, pl.String())))


DATASET: Final = Dataset(
    key=KEY,
    title="Answers",
    licence=Licence("CC0-1.0", None, None),
    cadence=Cadence("0 4 * * *", 48),
    guard_limits=GuardLimits(),
    host="registry.example",
    staged_tables={TABLE.name: TABLE},
    file_patterns=("answers/*",),
    recognise_file=_recognise,  # type: ignore[arg-type]  # no folder is read
    split_members=_split,
    read_batches=_read,
)
MARKET: Final = Jurisdiction(
    code="FI",
    state="served",
    datasets=(DATASET,),
    field_precedence={},
    company_ids_of_rows=lambda _, rows: rows["number"],
    to_shared_tables=lambda _, __: {},
)


def answer(number: int, revenue: int, at: datetime) -> FetchedFile:
    """An answer about a company."""
    body = json.dumps({"number": f"{number:09d}", "revenue": revenue}).encode()
    return FetchedFile(
        f"{number:09d}.json", io.BytesIO(body), Scope.PART, at, None, f"https://registry.example/{number}"
    )


def main() -> None:
    """Opens the archive, fetches and stages a day: `data day bodies`."""
    root, day, bodies = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    at = FIRST_DAY + timedelta(days=day)
    workspace = Workspace(IngestSettings(data=root, workers=1), (MARKET,), clock=lambda: at)
    batch, before = batch_name(at), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found: dict[str, float] = {"before_mib": before / 1024}

    def timed(name: str, began: float, worked: float) -> None:
        found[f"{name}_s"], found[f"{name}_processor_s"] = time.perf_counter() - began, time.process_time() - worked

    began, worked = time.perf_counter(), time.process_time()
    workspace.raw_archive.newest_cursor(KEY)
    workspace.staged_store.cursor(KEY)
    timed("open", began, worked)
    began, worked = time.perf_counter(), time.process_time()
    fetch.load_fetch_state(workspace, MARKET, DATASET, _NoSource(), batch)  # type: ignore[arg-type]
    new = sum(
        workspace.raw_archive.store_body(KEY, answer(number, day, at), batch) is not None for number in range(bodies)
    )
    workspace.step_results.write(batch, fetch.fetch_result_name(KEY), asdict(fetch.FetchResult(KEY, new, asked=True)))
    timed("fetch", began, worked)
    began, worked = time.perf_counter(), time.process_time()
    result = stage.stage_dataset(workspace, MARKET, DATASET, batch)
    timed("stage", began, worked)
    if result.rows != bodies:
        raise RuntimeError(f"{result.rows} rows were staged of {bodies} bodies")
    found["peak_mib"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps(found))


class _NoSource:
    supports_lookups = False


if __name__ == "__main__":
    main()
