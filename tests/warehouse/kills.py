"""Work that tests have killed at one of its steps. Each function runs in a process of its own."""

from __future__ import annotations

import io
from pathlib import Path

import polars as pl

from tests.warehouse.helpers import DAY, Sent, company, day, event, ids, rows
from warehouse.history.history import MarketHistory
from warehouse.publish.publisher import MarketPart, ReleaseStore
from warehouse.raw.archive import RawArchive
from warehouse.schema.market_state import QuarantineReason
from warehouse.schema.tables import COMPANIES, EVENTS
from warehouse.schema.types import Column, ColumnKind, Table
from warehouse.staged.snapshots import RunKnowledge, SnapshotStore
from warehouse.staged.store import StagedStore
from warehouse.storage.atomic_files import Step
from warehouse.storage.layout import Layout

STAGED = Table(
    "staged_units",
    "Rows as a register sends them.",
    ("number",),
    (Column("number", ColumnKind.TEXT, "key", nullable=False), Column("Navn, «rart»", ColumnKind.TEXT, "name")),
)


def staged_rows(*pairs: tuple[str, str | None]) -> pl.DataFrame:
    return pl.DataFrame(list(pairs), schema=list(STAGED.names), orient="row")


def put(root: Path, on_step: Step) -> None:
    RawArchive(Layout(root), clock=lambda: day(9), on_step=on_step).store_body(
        "no.x", Sent("b.csv", b"second"), "batch2"
    )


def stage(root: Path, on_step: Step) -> None:
    piece = next(RawArchive(Layout(root)).bodies("no.x"))
    with StagedStore(Layout(root), on_step).write_batch("no.x", "batch1") as writer:
        writer.add_member(piece)
        writer.add_rows(STAGED, piece, staged_rows(("1", "A"), ("2", "B")))
        writer.set_cursor("17")


def image(root: Path, on_step: Step) -> None:
    """An image of two parts."""
    frame = rows(COMPANIES, company(1), company(2))
    with SnapshotStore(Layout(root), on_step).writer("NO", "batch1", DAY, DAY, RunKnowledge({}, {})) as writer:
        for number in range(frame.height):
            writer.add({"companies": frame[number : number + 1]}, ids(frame[number : number + 1]))


def learn(root: Path, on_step: Step, *, name: str = "Firma 1 AS", at: int = 0) -> None:
    """History of one run: present rows, shared rows, an event and a mark, in one transaction."""
    frame = rows(COMPANIES, company(1, name=name), company(2))
    with MarketHistory(Layout(root), "NO", on_step) as history, history.transaction():
        present = staged_rows(("1", name)).with_columns(
            pl.lit("firm:NO:900000001").alias("_company_id"),
            pl.lit(day(at)).alias("_observed_at"),
            pl.lit("sha").alias("_raw"),
        )
        history.upsert_present(STAGED, present)
        history.merge_snapshot(COMPANIES, frame, ids(frame), day(at))
        history.add_to_outbox(rows(EVENTS, event(f"learned{at}", at=day(at))))
        history.advance_watermark("no.x", day(at))
        history.record_step("image", f"batch{at}")


def publish(root: Path, on_step: Step, *, at: int = 0) -> None:
    """What a run does at its end: publish, then let go of the events."""
    layout = Layout(root)
    with MarketHistory(layout, "NO") as history:
        events = history.outbox_events()
    part = MarketPart("NO", layout.history_file("NO"), "fresh", day(at))
    ReleaseStore(layout, clock=lambda: day(at), on_step=on_step).publish({"NO": part}, events)
    with MarketHistory(layout, "NO") as history:
        history.clear_outbox(events["event_id"])


def big_body(size: int) -> io.BytesIO:
    return io.BytesIO(bytes(range(256)) * (size // 256))


def quarantine(root: Path, on_step: Step) -> None:
    StagedStore(Layout(root), on_step).set_quarantine("no.x", "b1", QuarantineReason("max_rejected", 1, 0))
