from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from connectors.contract.dataset import Cursor, Dataset, FetchedFile, Scope
from connectors.kit.http.errors import SourceUnavailableError
from pipelines.ingest.run import IngestOverrides, ingest
from pipelines.reporting.report import DONE, HELD
from pipelines.sources.source import LiveSource
from tests.pipelines.invented import MARKET
from tests.pipelines.places import ONE, TWO, Place, accounts

OLD = datetime(2020, 1, 1, tzinfo=UTC)


@dataclass
class Registry:
    """Plays the registry of the invented market; what it is asked is remembered."""

    register: str
    accounts: dict[str, str]
    asked: list[tuple[str, str | None]]
    down: bool = False

    def fetch_register(self, http: Any, cursor: Cursor | None, subjects: Iterable[str]) -> Iterator[FetchedFile]:
        self.asked.append(("register", cursor.value if cursor else None))
        body = io.BytesIO(self.register.encode())
        yield FetchedFile("register.csv", body, Scope.FULL, OLD, Cursor(f"etag{len(self.asked)}"))

    def fetch_accounts(self, http: Any, cursor: Cursor | None, subjects: Iterable[str]) -> Iterator[FetchedFile]:
        for subject in subjects:
            self.asked.append((subject, None))
            if self.down:
                raise SourceUnavailableError("https://registry.example/accounts?key=hidden", 503, "busy")
            yield FetchedFile(f"{subject}.json", io.BytesIO(self.accounts[subject].encode()), Scope.PART, OLD)

    def market(self) -> Any:
        register, filed, owners = MARKET.datasets
        datasets = (
            replace(register, fetch=self.fetch_register),
            replace(filed, fetch=self.fetch_accounts, subjects_to_fetch=wanted),
            owners,
        )
        return replace(MARKET, datasets=datasets)


def wanted(staged: Any) -> Iterator[str]:
    yield from staged["fi_register"]["number"].sort() if "fi_register" in staged else ()


def csv(status: str) -> str:
    return f"number,name,status,date\n{ONE},Yksi Oy,{status},\n{TWO},Kaksi Oy,open,\nend"


def go(place: Place, registry: Registry) -> Any:
    place.now = place.now.replace(day=place.now.day + 1)
    overrides = IngestOverrides(jurisdictions=(registry.market(),), clock=place.clock, instance=place.instance)
    live: Any = LiveSource(None)  # type: ignore[arg-type]  # the registry above needs no client
    return ingest(place.settings, ["FI"], live, overrides=overrides)


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    with dg.DagsterInstance.ephemeral() as instance:
        yield Place(tmp_path, instance=instance)


@pytest.mark.slow
def test_a_live_fetch_asks_for_what_was_named_and_goes_on_from_its_cursor(place: Place) -> None:
    import json

    registry = Registry(
        csv("open"), {number: json.dumps(accounts(number, number, 2025, 5)) for number in (ONE, TWO)}, []
    )
    first = go(place, registry)
    assert (first.exit_code, first.release, dict(first.events)) == (DONE, 1, {})
    assert registry.asked == [("register", None), (ONE, None), (TWO, None)]
    registry.asked.clear()
    assert go(place, registry).release is None
    assert registry.asked == [("register", "etag1")]  # nothing new was staged, so nobody is asked for
    registry.register = csv("asleep")
    assert dict(go(place, registry).events) == {"status.changed": 1}


@pytest.mark.slow
def test_a_source_that_is_down_is_held_and_the_rest_goes_on(place: Place) -> None:
    registry = Registry(csv("open"), {}, [], down=True)
    report = go(place, registry)
    assert (report.exit_code, report.release) == (HELD, 1)
    [one] = report.held
    assert (one.dataset, one.guard) == ("fi.accounts", "fetch")
    assert "busy" in str(one.seen)
    assert "hidden" not in str(one.seen)
    first = place.noted
    assert first["accounts"].held_since == first["register"].checked_at
    assert first["register"].checked_at is not None
    assert first["accounts"].checked_at is None
    registry.register = csv("asleep")
    go(place, registry)
    assert place.noted["accounts"] == first["accounts"], "held since the first run that failed"
    registry.down = False
    registry.accounts |= {number: json.dumps(accounts(number, number, 2025, 5)) for number in (ONE, TWO)}
    registry.register = csv("closed")
    go(place, registry)
    assert place.noted["accounts"].held_since is None
    assert place.noted["accounts"].checked_at == place.noted["register"].checked_at
    assert "owners" not in place.noted or place.noted["owners"].checked_at is None, "nobody fetches it"


def test_datasets_without_a_fetch_are_left(place: Place) -> None:
    dataset: Dataset = MARKET.datasets[0]
    opened = LiveSource(None).open(OLD)  # type: ignore[arg-type]
    assert list(opened.arrivals(dataset, None, ())) == []
    assert opened.files(MARKET) == ()
