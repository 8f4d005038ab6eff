"""Rows that name no company find it through another table, lose it again, and make no events by that alone."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from connectors.contract.dataset import Jurisdiction, Link
from pipelines.ingest.run import IngestOverrides, ingest
from pipelines.reporting.report import IngestReport
from pipelines.sources.source import FolderSource
from tests.pipelines.invented import MARKET
from tests.pipelines.invented_links import LINKED_MARKET, LINKS, NAME
from tests.pipelines.places import ONE, THREE, TWO, Place, owner
from warehouse.history.history import MarketHistory
from warehouse.ledger.ledger import Ledger
from warehouse.schema.tables import FILINGS, HOLDINGS
from warehouse.storage.duckdb import open_database

ALPHA, BETA = f"firm:FI:{ONE}", f"firm:FI:{TWO}"
LEI_1, LEI_2 = "LEI1", "LEI2"


@dataclass
class Linked(Place):
    market: Jurisdiction = LINKED_MARKET

    def take(self, **values: Any) -> IngestReport:
        """An ingest a day later, of the files as they are; the folder is empty afterwards."""
        self.now += timedelta(days=1)
        overrides = IngestOverrides(jurisdictions=(self.market,), clock=self.clock, **values)
        report = ingest(self.settings, ["fi"], FolderSource(self.folder), overrides=overrides)
        for path in self.folder.rglob("*.*"):
            path.unlink()
        return report

    def companies(self) -> None:
        self.register((ONE, "Yksi Oyj", "open", ""), (TWO, "Kaksi Oyj", "open", ""))

    def issuer(self, native: str, year: int = 2025, **values: Any) -> None:
        plain = {"id": native, "lei": None, "name": None, "year": year, "revenue": 5}
        self.records(f"issuers/{native}.json", plain | values)

    def lei(self, *pairs: tuple[str, str]) -> None:
        self.records("lei/l.json", *({"lei": lei, "number": number} for lei, number in pairs))

    def of(self, table: Any = FILINGS) -> dict[str, str]:
        """Company by native id."""
        with MarketHistory(self.settings.layout, "FI") as history:
            rows = history.current_rows(table)
        return dict(rows.select("native_id", "company_id").rows())

    def told(self) -> list[str]:
        events = Ledger(self.settings.layout).after(0, 100)
        return [f"{event.event_type} {json.loads(event.data)['org_nr']}" for event in events]


@pytest.fixture
def place(tmp_path: Path) -> Linked:
    return Linked(tmp_path)


@pytest.mark.slow
def test_a_row_finds_its_company_in_the_same_batch(place: Linked) -> None:
    place.companies()
    place.issuer("a", lei=LEI_1)
    place.issuer("b", lei=LEI_2)
    place.lei((LEI_1, ONE))
    assert not place.take().errors
    assert place.of() == {"a": ALPHA}


@pytest.mark.slow
def test_linking_rows_that_come_later_link_and_what_was_there_before_is_no_event(place: Linked) -> None:
    place.companies()
    place.issuer("old", 2024, lei=LEI_1)
    place.take()
    assert place.of() == {}
    place.issuer("new", 2025, lei=LEI_1)
    place.take()
    place.lei((LEI_1, ONE))
    place.take()
    assert place.of() == {"old": ALPHA, "new": ALPHA}
    # «new» came after the baseline: that its company was found a day later makes it no older
    assert place.told() == [f"filing.added {ONE}"]


@pytest.mark.slow
def test_a_changed_linking_row_moves_rows_without_events(place: Linked) -> None:
    place.companies()
    place.issuer("a", lei=LEI_1)
    place.records("stakes/s.json", {"id": "s", "isin": "FI1", "holder": "Åsa", "low": 30})
    place.records("list/l.json", {"isin": "FI1", "lei": LEI_1})
    place.lei((LEI_1, ONE))
    place.take()
    assert (place.of(), place.of(HOLDINGS)) == ({"a": ALPHA}, {"s": ALPHA})
    place.lei((LEI_1, TWO))
    place.take()
    assert (place.of(), place.of(HOLDINGS)) == ({"a": BETA}, {"s": BETA})
    assert place.told() == []


@pytest.mark.slow
def test_what_hangs_on_a_moved_row_moves_with_it_within_one_run(place: Linked) -> None:
    place.register((ONE, "Yksi", "open", ""), (TWO, "Kaksi", "open", ""), name="register-2026-01-01.csv")
    stake = {"id": "s", "isin": "FI1", "holder": "Åsa", "low": 30}
    place.records("stakes/2026-01-01.json", stake)
    place.records("list/2026-01-01.json", {"isin": "FI1", "lei": LEI_1})
    for day, number in ((1, ONE), (2, TWO)):
        place.records(f"lei/2026-01-0{day}.json", {"lei": LEI_1, "number": number})
    place.take()
    assert (place.of(HOLDINGS), place.told()) == ({"s": BETA}, [])


@pytest.mark.slow
def test_a_link_that_vanishes_unlinks_without_events(place: Linked) -> None:
    place.companies()
    place.issuer("a", lei=LEI_1)
    place.records("stakes/s.json", {"id": "s", "isin": "FI1", "holder": "Åsa", "low": 30})
    place.records("list/l.json", {"isin": "FI1", "lei": LEI_1})
    place.lei((LEI_1, ONE))
    place.take()
    place.records("list/l.json", {"isin": "FI1", "lei": ""})
    place.take()
    assert (place.of(), place.of(HOLDINGS)) == ({"a": ALPHA}, {})
    place.records("list/l.json", {"isin": "FI1", "lei": LEI_1})
    place.take()
    assert (place.of(HOLDINGS), place.told()) == ({"s": ALPHA}, [])


@pytest.mark.slow
def test_news_of_a_linked_row_is_an_event(place: Linked) -> None:
    place.companies()
    place.records("stakes/s.json", {"id": "s", "isin": "FI1", "holder": "Åsa", "low": 30})
    place.records("list/l.json", {"isin": "FI1", "lei": LEI_1})
    place.lei((LEI_1, ONE))
    place.take()
    place.records("stakes/s.json", {"id": "s", "isin": "FI1", "holder": "Åsa", "low": 60})
    place.issuer("baseline", 2020, lei=LEI_2)
    place.take()
    place.issuer("a", lei=LEI_1)
    place.take()
    assert place.told() == [f"ownership.changed {ONE}", f"filing.added {ONE}"]


@pytest.mark.slow
def test_real_news_is_told_though_a_link_is_lost_and_what_moved_is_not(place: Linked) -> None:
    place.companies()
    place.issuer("a", 2024, lei=LEI_1)
    place.issuer("b", 2023, lei=LEI_2)
    place.records("stakes/s.json", *(_stake(native, 4) for native in ("s", "t")))
    place.records("list/l.json", {"isin": "s", "lei": LEI_1}, {"isin": "t", "lei": LEI_2})
    place.lei((LEI_1, ONE), (LEI_2, ONE))
    place.take()
    place.issuer("c", 2025, lei=LEI_2)
    place.records("stakes/t.json", _stake("t", 60))
    place.lei((LEI_1, TWO))
    place.take()
    assert place.of() == {"a": BETA, "b": ALPHA, "c": ALPHA}
    assert sorted(place.told()) == [f"filing.added {ONE}", f"ownership.changed {ONE}"]


def _stake(native: str, low: int, holder: str | None = None) -> dict[str, Any]:
    return {"id": native, "isin": native, "holder": holder or f"Holder {native}", "low": low}


@pytest.mark.slow
def test_a_link_lost_from_under_a_line_of_two_registers_makes_no_event(place: Linked) -> None:
    place.market = replace(LINKED_MARKET, field_precedence={"ownership": ("fi.stakes", "fi.owners")})
    place.companies()
    place.records("owners/o.json", owner("o1", ONE, 5, 10, holder="Pekka Oy"))
    place.records("stakes/s.json", _stake("s", 30, "Pekka Oy"))
    place.records("list/l.json", {"isin": "s", "lei": LEI_1})
    place.lei((LEI_1, ONE))
    place.take()
    place.records("list/l.json", {"isin": "s", "lei": ""})
    place.take()
    assert (place.of(HOLDINGS), place.told()) == ({"o1": ALPHA}, [])


@pytest.mark.slow
def test_a_row_that_was_anothers_by_its_name_is_no_event_of_who_takes_the_name(place: Linked) -> None:
    place.companies()
    place.issuer("baseline", 2020, name="Nobody")
    place.take()
    place.issuer("a", 2025, name="Yksi Oyj")
    place.take()
    place.register((ONE, "Yksi Holding Oyj", "open", ""), (TWO, "Kaksi Oyj", "open", ""))
    place.take()
    assert place.of() == {}
    place.register((ONE, "Yksi Holding Oyj", "open", ""), (TWO, "Yksi Oyj", "open", ""))
    place.take()
    assert (place.of(), place.told()) == ({"a": BETA}, [f"filing.added {ONE}"])


@pytest.mark.slow
def test_a_row_that_was_there_before_the_baseline_is_not_news_by_being_read_again(place: Linked) -> None:
    place.companies()
    place.issuer("old", 2024, lei=LEI_1)
    place.take()
    place.issuer("old", 2024, lei=LEI_1)
    place.issuer("other", 2024, lei="LEI9")
    place.take()
    place.lei((LEI_1, ONE))
    place.take()
    assert (place.of(), place.told()) == ({"old": ALPHA}, [])


@pytest.mark.slow
def test_a_row_that_names_another_key_moves(place: Linked) -> None:
    place.companies()
    place.issuer("a", lei=LEI_1)
    place.lei((LEI_1, ONE), (LEI_2, TWO))
    place.take()
    place.issuer("a", lei=LEI_2)
    place.take()
    assert place.of() == {"a": BETA}
    place.issuer("a", lei="LEI9")
    place.take()
    assert place.of() == {}


@pytest.mark.slow
def test_two_companies_that_answer_are_no_answer(place: Linked) -> None:
    place.register((ONE, "Sama Oyj", "open", ""), (TWO, "Sama Oy", "open", ""))
    place.issuer("a", name="SAMA OYJ")
    place.issuer("b", name="sama")
    place.take()
    assert place.of() == {}
    place.register((TWO, "Sama Oy", "closed", ""))
    place.take()
    assert place.of() == {"a": ALPHA, "b": ALPHA}


@pytest.mark.slow
def test_the_harder_key_decides_and_empty_text_is_no_key(place: Linked) -> None:
    place.companies()
    place.issuer("by_lei", lei=LEI_1, name="Kaksi")
    place.issuer("by_name", lei="", name="Kaksi")
    place.issuer("unknown_lei", lei="LEI9", name="Kaksi")
    place.lei((LEI_1, ONE), ("", ONE))
    place.take()
    assert place.of() == {"by_lei": ALPHA, "by_name": BETA, "unknown_lei": BETA}


@pytest.mark.slow
def test_a_company_that_the_register_no_longer_lists_keeps_what_was_linked(place: Linked) -> None:
    for day, rows in (("2026-01-01", (ONE, TWO, THREE)), ("2026-01-02", (TWO, THREE))):
        place.day(day, "fi.register")
        place.register(*((number, f"Nimi {number}", "open", "") for number in rows), day=day)
    place.records("issuers/a.json", _named("a", f"Nimi {ONE}"), day="2026-01-01")
    place.take()
    assert place.of() == {"a": ALPHA}


def _named(native: str, name: str) -> dict[str, Any]:
    return {"id": native, "lei": None, "name": name, "year": 2025, "revenue": 1}


@pytest.mark.slow
def test_links_declared_later_are_followed_for_rows_that_were_there(place: Linked) -> None:
    place.market = replace(LINKED_MARKET, links=())
    place.companies()
    place.issuer("a", lei=LEI_1)
    place.issuer("b", name="Kaksi")
    place.lei((LEI_1, ONE))
    place.take()
    assert place.of() == {}
    place.market = LINKED_MARKET
    place.register((THREE, "Kolme Oyj", "open", ""))
    place.take()
    assert place.of() == {"a": ALPHA, "b": BETA}
    assert place.told() == []


@pytest.mark.slow
def test_any_order_of_the_files_leads_to_the_same_state(tmp_path: Path) -> None:
    found = []
    for name, order in {"one": (0, 1, 2, 3), "two": (3, 2, 1, 0), "three": (2, 0, 3, 1)}.items():
        place = Linked(tmp_path / name)
        for step in order:
            match step:
                case 0:
                    place.companies()
                case 1:
                    place.issuer("a", lei=LEI_1)
                    place.issuer("b", name="kaksi")
                case 2:
                    place.lei((LEI_1, ONE))
                case _:
                    place.records("list/l.json", {"isin": "FI1", "lei": LEI_1})
                    place.records("stakes/s.json", {"id": "s", "isin": "FI1", "holder": "Åsa", "low": 30})
            place.take()
        found.append((place.of(), place.of(HOLDINGS), place.told()))
    assert found == [({"a": ALPHA, "b": BETA}, {"s": ALPHA}, [])] * 3


@pytest.mark.parametrize(
    ("links", "said"),
    [
        ((Link("fi_nothing", "lei", "fi_lei", "lei"),), "which no dataset stages"),
        ((Link("fi_issuers", "number", "fi_lei", "lei"),), "a link names number of fi_issuers"),
        (tuple(reversed(LINKS)), "needs fi_list to be linked first"),
    ],
)
def test_links_that_cannot_be_followed_are_refused_at_once(links: tuple[Link, ...], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        replace(LINKED_MARKET, links=links)


@pytest.mark.slow
def test_a_market_without_links_keeps_nothing_beside_its_rows(place: Linked) -> None:
    place.market = MARKET
    place.companies()
    place.take()
    with open_database(place.settings.layout.history_file("FI"), read_only=True) as connection:
        columns = connection.execute("DESCRIBE present.fi_register").fetchall()
    assert not [name for name, *_ in columns if name.startswith(("_key", "_nameless"))]


def test_a_key_is_null_where_the_row_has_none() -> None:
    rows = pl.DataFrame({"name": ["Yksi Oyj", None]}, schema={"name": pl.String})
    assert NAME.of(rows).to_list() == ["yksi", None]
