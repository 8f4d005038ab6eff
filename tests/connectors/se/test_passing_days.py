"""What passing days alone change of a status, while the files say the same."""

from datetime import date
from pathlib import Path

import dagster as dg
import pytest

from tests.connectors.firds.firds_files import ISSUER, Line, full, packed, whole_name
from tests.connectors.gleif.gleif_bodies import answer, record
from tests.connectors.se.bulk_files import ONE, THREE, TWO, organisation, unit
from tests.connectors.se.market_days import Market
from warehouse.schema.tables import COMPANIES

pytestmark = pytest.mark.slow


def test_a_status_follows_when_its_day_comes_though_no_record_changes(tmp_path: Path) -> None:
    """A company that SCB does not have after two months does not trade; a deregistration counts from its day on."""
    said = [
        organisation(ONE, registreringsdatum="2025-12-20"),
        organisation(TWO, avregistreringsdatum="2026-02-01", avregistreringsorsak="VERKUPP-AVORG"),
    ]
    told: list[dict[str, str]] = []
    with dg.DagsterInstance.ephemeral() as instance:
        market = Market(tmp_path, instance)
        for day in ("2026-01-12", "2026-01-19", "2026-03-02"):
            market.day(day, [*said, organisation(THREE, registreringsdatum=day)], [unit(TWO)])
            told.append(dict(market.rows(COMPANIES).select("org_number", "status").iter_rows()))
    assert told == [
        {ONE: "active", TWO: "active", THREE: "active"},
        {ONE: "active", TWO: "active", THREE: "active"},
        {ONE: "dormant", TWO: "dissolved", THREE: "active"},
    ]
    assert sorted(market.events) == [f"status.changed {ONE}", f"status.changed {TWO}"]


def test_a_listing_begins_and_ends_on_its_days_though_no_file_repeats_its_line(tmp_path: Path) -> None:
    line = Line(first="2026-02-10T07:00:00Z", ends="2026-02-20T23:59:59Z")
    name = whole_name(date(2026, 1, 17))
    files = {
        f"firds/{name}": packed(full(line), name),
        "gleif/one.json": answer(record(ISSUER, "RA000544", ONE, law="SE"), published="2026-01-17T08:00:00Z"),
    }
    told: list[bool] = []
    with dg.DagsterInstance.ephemeral() as instance:
        market = Market(tmp_path, instance)
        market.day("2026-01-12", [organisation(ONE)], [unit(ONE)])
        market.take("2026-01-18", files, ["se.firds"])
        told.append(market.rows(COMPANIES)["is_listed"].item())
        for day in ("2026-02-09", "2026-02-10", "2026-02-23"):
            market.day(day, [organisation(ONE)], [unit(ONE)])
            told.append(market.rows(COMPANIES)["is_listed"].item())
    assert told == [False, False, True, False]
    assert market.events == [f"company.changed {ONE}", f"company.changed {ONE}"]
