"""Which parts of a snapshot are left to apply, and what one becomes: releases and notices reach history once."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from connectors.us import UNITED_STATES
from pipelines.steps.apply_history import MarketRules, late_arriving_datasets, merge_part, pending_parts
from pipelines.steps.normalise import EDITIONS, snapshot_key
from pipelines.transforms.ownership.owners import SourcePrecedence
from tests.pipelines.frames import COMPANY, DAY_1, DAY_2, company, frame
from tests.pipelines.invented import MARKET
from warehouse import schema_render
from warehouse.history.history import MarketHistory
from warehouse.schema import ids
from warehouse.schema.tables import COMPANIES, NEWS, NORMALISED, NOTICES
from warehouse.staged.snapshots import NormalisedSnapshot, SnapshotPart
from warehouse.storage.layout import Layout

_SEEN = {"raw": "ab", "observed_at": DAY_2, "published_at": DAY_1}
MARKET_TOLD = replace(MARKET, untitled_datasets=("fi.accounts",))  # whatever they hold: here they tell news


def item(register: str, native: str, title: str) -> dict[str, Any]:
    told = {"news_id": f"nws_{native}", "title": title, "publisher": register, "categories": ["earnings"]}
    said = {"company_id": COMPANY, "native_id": native, "register": register, "told_by": [f"{register}:{native}"]}
    return told | said | _SEEN


def notice(register: str, native: str) -> dict[str, Any]:
    act = {"authority": "A", "authority_country": "FI", "action_type": "sanction", "title": "Fine"}
    said = {"company_id": COMPANY, "native_id": native, "register": register, "notice_id": f"ntc_{native}"}
    return act | said | {"amount": 5, "currency": "EUR"} | _SEEN


def editions(*rows: tuple[str, bool]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema={"dataset": pl.String, "late": pl.Boolean}, orient="row")


def test_pending_parts_are_those_of_a_committed_snapshot_that_have_no_mark() -> None:
    parts = tuple(SnapshotPart(name, Path("there"), ()) for name in ("0.", "1.", "2."))
    snapshot = NormalisedSnapshot("FI", "batch", DAY_1, Path("there"), parts, DAY_1)
    key = snapshot_key("batch", DAY_1)

    def pending(written: set[str], done: set[str]) -> list[str]:
        return [part.name + mark.removeprefix(key) for part, mark in pending_parts(snapshot, written, done)]

    assert pending(set(), set()) == [], "its run was killed before the commit"
    assert pending({snapshot_key("batch", DAY_1 + timedelta(days=1))}, set()) == []
    assert pending({key}, set()) == ["0./0.", "1./1.", "2."]
    assert pending({key}, {f"{key}/1."}) == ["0./0.", "2."]
    assert pending({key}, {key}) == []


def test_late_datasets_have_no_newer_snapshot_at_the_instant() -> None:
    assert late_arriving_datasets(editions()) == frozenset()
    assert late_arriving_datasets(editions(("a", True), ("b", True), ("b", False), ("c", False))) == {"a"}


def test_the_united_states_name_the_reports_that_have_no_headline() -> None:
    assert UNITED_STATES.untitled_datasets == ("us.headers",)
    with pytest.raises(ValueError, match="untitled names a dataset of another market"):
        replace(MARKET, untitled_datasets=("fi.nowhere",))


def test_releases_and_acts_reach_history_once(tmp_path: Path) -> None:
    tables = {table.name: schema_render.empty_frame(table) for table in NORMALISED} | {
        COMPANIES.name: frame(COMPANIES, company()),
        NEWS.name: frame(NEWS, item("fi.register", "1", "Yhtiö Oy reports"), item("fi.accounts", "2", "Form 8")),
        NOTICES.name: frame(NOTICES, notice("fi.register", "1"), notice("fi.owners", "2")),
        EDITIONS: editions(),
    }
    with MarketHistory(Layout(tmp_path), "FI") as history:
        rules = MarketRules(SourcePrecedence(), frozenset(MARKET_TOLD.untitled_datasets))
        snapshot = NormalisedSnapshot("FI", "batch", DAY_2, Path("there"), (), DAY_2)
        merge_part(history, rules, tables, pl.Series("company_id", [COMPANY]), snapshot)
        assert history.current_rows(NEWS)["told_by"].to_list() == [["fi.accounts:2", "fi.register:1"]]
        assert history.current_rows(NOTICES).height == 1


def test_events_of_content_from_behind_known_time_are_known_since_the_run_that_brought_it(tmp_path: Path) -> None:
    """The register's file is older than what other datasets have told, and newer than the register's last one."""
    known_at, between = DAY_2 + timedelta(days=1), DAY_1 + (DAY_2 - DAY_1) / 2
    rules = MarketRules(SourcePrecedence(), frozenset(), baselines={"xx.register": DAY_1})
    with MarketHistory(Layout(tmp_path), "FI") as history:

        def outbox_of(snapshot: NormalisedSnapshot, **values: Any) -> pl.DataFrame:
            tables = {table.name: schema_render.empty_frame(table) for table in NORMALISED}
            tables |= {COMPANIES.name: frame(COMPANIES, company(**values)), EDITIONS: editions(("xx.register", False))}
            return merge_part(history, rules, tables, pl.Series("company_id", [COMPANY]), snapshot)[1]

        outbox_of(NormalisedSnapshot("FI", "first", DAY_1, Path("there"), (), DAY_1))
        events = outbox_of(NormalisedSnapshot("FI", "behind", between, Path("there"), (), known_at), status="dormant")
    expected = ids.status_changed_id(COMPANY, "active", "dormant", between.date(), known_at)
    assert events.select("event_id", "known_at").rows() == [(expected, known_at)]
