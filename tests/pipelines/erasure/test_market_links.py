"""Erasing somebody whom only a link leads to, or whom several registers tell of; and nobody of the same name."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pipelines.erasure import command as pipelines_erase
from pipelines.steps.suppression import SuppressionMatcher
from tests.pipelines.invented_links import LINKED_MARKET
from tests.pipelines.places import ONE, TWO, owner
from tests.pipelines.steps.test_link_companies import ALPHA, LEI_1, LEI_2, Linked
from tests.searched import found
from warehouse.erasure.tombstones import TombstoneStore
from warehouse.history.history import MarketHistory
from warehouse.schema.tables import COMPANIES, HOLDINGS, OWNERS
from warehouse.schema.types import Table

NAME, OTHERWISE = "Åsa Öberg", "ÅSA ÖBERG."


@pytest.fixture
def place(tmp_path: Path) -> Linked:
    return Linked(tmp_path)


def erase(place: Linked, *subjects: str) -> None:
    overrides = pipelines_erase.WorkspaceOverrides((place.market,), place.clock)
    pipelines_erase.erase(place.settings, subjects, "asked for", place.lines.append, overrides)


def rows(place: Linked, table: Table, *names: str) -> list[tuple[str, ...]]:
    with MarketHistory(place.settings.layout, "FI") as history:
        return history.current_rows(table).select(names).rows()


def holders(place: Linked) -> list[tuple[str, ...]]:
    return rows(place, OWNERS, "company_id", "holder_id")


def left(place: Linked, *words: str) -> set[tuple[str, str]]:
    return found(place.settings.data, list(words))


def stake(place: Linked, name: str, *others: dict[str, object]) -> None:
    place.records("stakes/s.json", {"id": "s", "isin": "FI1", "holder": name, "low": 30}, *others)
    place.records("list/l.json", {"isin": "FI1", "lei": LEI_1}, {"isin": "FI2", "lei": LEI_2})
    place.lei((LEI_1, ONE), (LEI_2, TWO))


@pytest.mark.slow
@pytest.mark.parametrize("own", ["", NAME, OTHERWISE])
def test_a_holder_that_a_link_tells_of_goes_and_stays_away_and_others_stakes_stay(place: Linked, own: str) -> None:
    """Known by the link alone, and with a record of another register in the same and in another spelling."""
    place.companies()
    if own:
        place.records("owners/o.json", owner("o1", ONE, 25, 50, holder=own))
    stake(place, NAME, {"id": "t", "isin": "FI2", "holder": "Matti Virtanen", "low": 30})
    place.take()
    (subject,) = [holder for company, holder in holders(place) if company == ALPHA]
    erase(place, subject)
    assert left(place, "Öberg", "ÖBERG") == set()
    place.register((ONE, "Yksi Uusi Oyj", "open", ""), (TWO, "Kaksi Oyj", "open", ""))
    stake(place, NAME, {"id": "t", "isin": "FI2", "holder": "Matti Virtanen", "low": 31})
    report = place.take()
    assert (report.errors, place.told()) == ((), [])
    assert [company for company, _ in holders(place)] == [f"firm:FI:{TWO}"]
    assert left(place, "Öberg", "ÖBERG") == set()
    assert left(place, "Matti Virtanen")


@pytest.mark.slow
def test_a_company_that_bears_its_holders_name_stays(place: Linked) -> None:
    place.register((ONE, "Matti Virtanen", "open", ""), (TWO, "Kaksi", "open", ""))
    place.records("owners/o.json", owner("o1", ONE, 25, 50, holder="Matti Virtanen"))
    place.take()
    ((_, subject),) = holders(place)
    erase(place, subject)
    place.register((ONE, "Matti Virtanen", "open", ""), (TWO, "Kaksi Uusi", "open", ""))
    place.take()
    assert (ALPHA, "Matti Virtanen") in rows(place, COMPANIES, "company_id", "name")
    assert rows(place, HOLDINGS, "holder_name") == []


@pytest.mark.slow
def test_what_links_lead_to_an_erased_company_does_not_come_in(place: Linked) -> None:
    place.companies()
    place.issuer("a", 2024, lei=LEI_1, name="Yksi Oyj")
    place.lei((LEI_1, ONE))
    place.take()
    erase(place, ALPHA)
    plain = {"lei": None, "name": "Yksi Oyj", "year": 2025, "revenue": 5}
    place.records("issuers/1.json", plain | {"id": "by-lei", "lei": LEI_1})
    place.records("issuers/2.json", plain | {"id": "by-name"})
    # a harder key says that it is somebody else
    place.records("issuers/3.json", plain | {"id": "another", "lei": "LEI9"})
    place.take()
    assert left(place, "by-lei", "by-name") == set()
    assert left(place, "another")


@pytest.mark.slow
def test_asked_again_it_takes_out_what_has_come_since(place: Linked, monkeypatch: pytest.MonkeyPatch) -> None:
    place.companies()
    place.issuer("a", 2024, lei=LEI_1, name="Yksi Oyj")
    place.lei((LEI_1, ONE))
    place.take()
    erase(place, ALPHA)
    with monkeypatch.context() as patch:  # a door that knows no traces
        patch.setattr(SuppressionMatcher, "_is_theirs", lambda *_: False)
        place.issuer("n", 2025, lei=LEI_1, name="Yksi Oyj")
        place.take()
    assert left(place, "Yksi")
    erase(place, ALPHA)
    assert left(place, "Yksi") == set()
    (stone,) = TombstoneStore(place.settings.layout).list_tombstones()
    assert stone.done[-1] == "exports"


def test_holders_are_named_by_columns_of_staged_tables() -> None:
    with pytest.raises(ValueError, match="no dataset stages fi_stakes"):
        replace(LINKED_MARKET, holder_columns={"fi_stakes": ("nobody",)})
