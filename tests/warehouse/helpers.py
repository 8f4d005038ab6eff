"""Rows of the shared tables by hand, and a process that dies at a chosen step."""

from __future__ import annotations

import datetime as dt
import io
import json
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl

from tests.forked import run_forked
from tests.once import copy_made
from warehouse import schema_render
from warehouse.history.database import existing_history_path
from warehouse.history.history import MarketHistory
from warehouse.release import manifest as release_manifest
from warehouse.schema.types import ColumnKind, Table
from warehouse.serving import codec_read
from warehouse.serving.codec_read import DocumentsConnection
from warehouse.storage.layout import Layout

ROOT = Path(__file__).resolve().parents[2]
DAY = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
_DEFAULTS = {
    ColumnKind.TEXT: "x",
    ColumnKind.TEXTS: [],
    ColumnKind.JSON: "[]",
    ColumnKind.INTEGER: 1,
    ColumnKind.MONEY: 1,
    ColumnKind.PERCENT: Decimal(1),
    ColumnKind.BOOLEAN: False,
    ColumnKind.DATE: dt.date(2025, 1, 1),
    ColumnKind.INSTANT: DAY,
}


def segment_file(layout: Layout, number: int, kind: str, place: int = -1) -> Path:
    """A file of a segment of a release; without a place, of the newest."""
    return layout.release_folder(number) / release_manifest.read_manifest(layout, number).segments[place].files[kind]


@contextmanager
def release_documents(layout: Layout, number: int) -> Iterator[DocumentsConnection]:
    """The documents and names of a release, opened as the service does."""
    folder, segments = layout.release_folder(number), release_manifest.read_manifest(layout, number).segments
    with closing(codec_read.open_documents(folder, segments)) as connection:
        yield connection


def day(number: int) -> dt.datetime:
    return DAY + dt.timedelta(days=number)


def rows(table: Table, *given: dict[str, Any]) -> pl.DataFrame:
    """Rows with what is given, a value where one is due, null elsewhere."""
    whole = [
        {
            column.name: one.get(
                column.name, None if column.nullable else (column.allowed or (_DEFAULTS[column.kind],))[0]
            )
            for column in table.columns
        }
        for one in given
    ]
    return pl.DataFrame(whole, schema=schema_render.polars_schema(table))


def company(number: int, **given: Any) -> dict[str, Any]:
    org = str(900000000 + number)
    base = {"company_id": f"firm:NO:{org}", "org_number": org, "name": f"Firma {number} AS", "country": "NO"}
    return base | {"status": "active"} | given


def ids(frame: pl.DataFrame) -> pl.Series:
    return frame["company_id"]


def event(
    name: str, company_id: str = "firm:NO:900000001", at: dt.datetime = DAY, known: dt.datetime | None = None
) -> dict[str, Any]:
    occurred = f"{at:%Y-%m-%dT%H:%M:%SZ}"
    data = {"company_id": company_id, "name": "Ørsted «A/S»", "occurred_at": occurred, "source": {"url": None}}
    return {
        "event_id": f"evt_{name}",
        "event_type": "status.changed",
        "company_id": company_id,
        "known_at": known or at,
        "occurred_at": at,
        "data": json.dumps(data, ensure_ascii=False, separators=(",", ":")),
    }


@dataclass(frozen=True)
class Sent:
    """Shaped like `connectors.contract.dataset.FetchedFile`."""

    name: str
    content: bytes
    observed_at: dt.datetime = DAY
    scope: str = "full"
    cursor: str | None = None
    url: str | None = "https://register.example/file"
    http_status: int | None = 200
    response_headers: dict[str, str] | None = None

    @property
    def body(self) -> io.BytesIO:
        return io.BytesIO(self.content)


def _child(work: Callable[[Callable[[str], None]], object], at: int) -> None:
    seen = 0

    def step(_: str) -> None:
        nonlocal seen
        seen += 1
        if seen == at:
            os.kill(os.getpid(), signal.SIGKILL)

    work(step)


def killed_at(work: Callable[[Callable[[str], None]], object], at: int) -> bool:
    """Runs `work` in a process that is killed (SIGKILL) at its step `at`; False: it ended before."""
    ended = run_forked(_child, work, at)
    assert ended.exit_code in {0, -signal.SIGKILL}, ended.said
    return ended.exit_code != 0


def market_history(layout: Layout, market: str) -> MarketHistory:
    """A market's history; the tables of one that is new are made once by a test process and copied."""
    if existing_history_path(layout, market) is None:
        copy_made(_make_history, layout.root, market)
    return MarketHistory(layout, market)


def _make_history(root: Path, market: str) -> None:
    with MarketHistory(Layout(root), market):
        pass
