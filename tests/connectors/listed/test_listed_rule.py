"""`is_listed` by the uniform rule: a table of cases, and a market that was given its listings."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

import polars as pl
import pytest

from connectors import JURISDICTIONS
from connectors.contract.contribution import Contribution
from connectors.contract.dataset import META_SCHEMA, Jurisdiction
from connectors.firds import schema as f
from connectors.firds.dataset import ESMA
from connectors.kit.composition import compose_market
from connectors.listings.is_listed import LEVELS, derive_is_listed
from connectors.listings.market import issuer_contributions
from tests.connectors.gleif.gleif_bodies import lei
from tests.tables import check_cases
from warehouse import schema_render
from warehouse.schema.codes import LISTING_LEVELS
from warehouse.schema.tables import COMPANIES, HOLDINGS, IDENTIFIERS, LISTINGS

TODAY = date(2026, 1, 20)
COMPANY = "firm:SE:5560000001"
DAY = timedelta(days=1)
ORDER = ("se.firds", "se.psc")


def company(**given: Any) -> pl.DataFrame:
    row = {
        "company_id": COMPANY,
        "org_number": "5560000001",
        "name": "Exempel AB",
        "country": "SE",
        "status": "active",
        "is_listed": False,
        "is_listed_source": None,
        "observed_at": datetime(2026, 1, 1, tzinfo=UTC),
        **given,
    }
    whole = {name: row.get(name) for name in COMPANIES.names}
    return pl.DataFrame([whole], schema=schema_render.polars_schema(COMPANIES))


def listing(register: str = "se.firds", mic: str | None = "XSTO", **given: Any) -> dict[str, Any]:
    row = {
        "company_id": COMPANY,
        "register": register,
        "native_id": f"SE0000108656/{mic}",
        "exchange_mic": mic,
        "observed_at": datetime(2026, 1, 1, tzinfo=UTC),
        **given,
    }
    return {name: row.get(name) for name in LISTINGS.names}


@dataclass(frozen=True)
class Case:
    """What is known, and what a profile shows of it."""

    name: str
    due: tuple[bool, str | None]
    listings: tuple[dict[str, Any], ...] = ()
    own: tuple[bool, str | None] = (False, None)
    status: str = "active"


CASES = (
    Case("nothing is known: false without a source", (False, None)),
    Case("a line on the main market", (True, "se.firds"), (listing(),)),
    Case("a line on a growth market", (True, "se.firds"), (listing(mic="FNSE"),)),
    Case("a line abroad counts", (True, "se.firds"), (listing(mic="XHEL"),)),
    Case("a platform is no venue that counts", (False, "se.firds"), (listing(mic="TRQX"),)),
    Case("trading begins tomorrow", (False, "se.firds"), (listing(valid_from=TODAY + DAY),)),
    Case("trading begins today", (True, "se.firds"), (listing(valid_from=TODAY),)),
    Case("trading ended today", (False, "se.firds"), (listing(ended_on=TODAY),)),
    Case("trading ends tomorrow", (True, "se.firds"), (listing(ended_on=TODAY + DAY),)),
    Case("one line ended, another lives", (True, "se.firds"), (listing(ended_on=TODAY), listing(mic="FNSE"))),
    Case("an exemption of no named market", (True, "se.psc"), (listing("se.psc", None),)),
    Case("an exemption that has ended", (False, "se.psc"), (listing("se.psc", None, ended_on=TODAY),)),
    Case(
        "FIRDS speaks first where both live", (True, "se.firds"), (listing("se.psc", None), listing())
    ),
    Case(
        "what lives outweighs what has ended", (True, "se.psc"), (listing(ended_on=TODAY), listing("se.psc", None))
    ),
    Case("all have ended: the first in order says so", (False, "se.firds"),
         (listing("se.psc", None, ended_on=TODAY), listing(ended_on=TODAY))),
    Case("a register that no order names comes last", (True, "se.firds"), (listing("aa.other"), listing())),
    Case("a register that no order names is evidence", (True, "zz.other"), (listing("zz.other", "XNAS"),)),
    Case("the market's own word", (True, "us.submissions"), own=(True, "us.submissions")),
    Case("the market's own word that nobody lists it", (False, "us.submissions"), own=(False, "us.submissions")),
    Case("a line against the market's own no", (True, "se.firds"), (listing(),), own=(False, "us.submissions")),
    Case("the market's own yes against a line that ended", (True, "us.submissions"), (listing(ended_on=TODAY),),
         own=(True, "us.submissions")),
    Case("what a register removed is not listed", (False, "se.firds"), (listing(),), status="dissolved"),
    Case("in bankruptcy it may still be", (True, "se.firds"), (listing(),), status="dormant"),
)  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_case_of_the_rule(case: Case) -> None:
    own = company(is_listed=case.own[0], is_listed_source=case.own[1], status=case.status)
    rows = pl.DataFrame(list(case.listings), schema=schema_render.polars_schema(LISTINGS))
    (found,) = derive_is_listed(own, rows, ORDER, TODAY).select(COMPANIES.names).to_dicts()
    assert (found["is_listed"], found["is_listed_source"]) == case.due


def test_many_companies_are_decided_each_by_its_own() -> None:
    others = pl.concat([company(), company(company_id="firm:SE:5560000002", org_number="5560000002")])
    rows = pl.DataFrame([listing()], schema=schema_render.polars_schema(LISTINGS))
    found = derive_is_listed(others, rows, ORDER, TODAY)
    assert found["is_listed"].to_list() == [True, False]
    assert found.columns == list(COMPANIES.names)


def test_venues_are_codes_with_a_level() -> None:
    assert set(LEVELS.values()) == set(LISTING_LEVELS)
    assert all(len(code) == 4 for code in LEVELS)
    assert "OTCM" not in LEVELS  # quotes over the counter are no listing


# --- a market -----------------------------------------------------------------------------------------------------


def market() -> Jurisdiction:
    """Sweden as it is declared, whose own tables say nothing."""
    return next(made for made in JURISDICTIONS if made.code == "SE")


def present(table: str, *rows: dict[str, Any]) -> pl.LazyFrame:
    declared = next(one for made in market().datasets for one in made.staged_tables.values() if one.name == table)
    at = datetime.combine(TODAY - DAY, time(), UTC)
    meta = {"_company_id": COMPANY, "_observed_at": at, "_raw": "raw", "_retired_at": None}
    schema = {**schema_render.polars_schema(declared), **META_SCHEMA}
    return pl.LazyFrame([{**dict.fromkeys(schema), **row, **meta} for row in rows], schema=schema, orient="row")


def line(isin: str = "SE0000108656", mic: str = "XSTO", **given: Any) -> dict[str, Any]:
    plain = {"isin": isin, "mic": mic, "lei": lei("A"), "cfi": "ESVUFR", "is_requested": True, "record": "full"}
    return plain | {"edition": date(2026, 1, 17), "first_traded": date(2001, 1, 2)} | given


def shared(**tables: pl.LazyFrame) -> Any:
    own = Contribution(name="register", to_shared_tables=lambda _present, _today: {COMPANIES.name: company()})
    composed = compose_market("SE", (own, *issuer_contributions("SE", ESMA)))
    return composed.to_shared_tables(tables, TODAY)


def test_a_market_shows_lines_identifiers_and_who_is_listed() -> None:
    turn = f.full_table("SE", date(2026, 1, 17)).name
    isins = present("se_isin", {"isin": "SE0000108656", "lei": lei("A")}, {"isin": "SE0000667925", "lei": lei("A")})
    made = shared(**{turn: present(turn, line(), line(mic="TRQX"), line("FI0009000681", "FNFI")), "se_isin": isins})
    (profile,) = made[COMPANIES.name].to_dicts()
    assert (profile["is_listed"], profile["is_listed_source"]) == (True, "se.firds")
    rows = made[LISTINGS.name].sort("native_id").to_dicts()
    assert [(row["exchange_mic"], row["isin"], row["level"], row["valid_from"]) for row in rows] == [
        ("FNFI", "FI0009000681", "growth", date(2001, 1, 2)),
        ("XSTO", "SE0000108656", "regulated", date(2001, 1, 2)),
    ]
    named = {(row["scheme"], row["value"], row["register"]) for row in made[IDENTIFIERS.name].to_dicts()}
    assert named == {
        ("isin", "FI0009000681", "se.firds"),
        ("isin", "SE0000108656", "se.firds"),
        ("isin", "SE0000667925", "se.isin"),
        ("exchange_mic", "FNFI", "se.firds"),
    }
    assert made[HOLDINGS.name].is_empty()
    for table in (COMPANIES, IDENTIFIERS, LISTINGS, HOLDINGS):
        assert made[table.name].schema == schema_render.polars_schema(table), table.name


def test_who_has_hundreds_of_isins_shows_those_of_its_shares_alone() -> None:
    turn = f.full_table("SE", date(2026, 1, 17)).name
    notes = [{"isin": f"SE00{number:08}", "lei": lei("A")} for number in range(201)]
    made = shared(**{turn: present(turn, line()), "se_isin": present("se_isin", *notes)})
    values = made[IDENTIFIERS.name].filter(pl.col("scheme") == "isin")["value"].to_list()
    assert values == ["SE0000108656"]


def test_a_line_whose_request_nobody_states_is_no_evidence() -> None:
    turn = f.full_table("SE", date(2026, 1, 17)).name
    made = shared(**{turn: present(turn, line(is_requested=None))})
    (profile,) = made[COMPANIES.name].to_dicts()
    assert (profile["is_listed"], profile["is_listed_source"]) == (False, None)
    assert made[LISTINGS.name].is_empty()


@pytest.mark.parametrize(
    ("given", "is_listed"),
    [
        ({"first_traded": None, "approved_on": date(2001, 1, 2)}, True),
        ({"first_traded": None}, False),  # admission was asked for, and that is all
        ({"first_traded": None, "approved_on": date(2999, 1, 2)}, False),
    ],
)
def test_without_a_first_day_the_approval_counts_and_a_request_does_not(given: dict[str, Any], is_listed: bool) -> None:
    turn = f.full_table("SE", date(2026, 1, 17)).name
    (profile,) = shared(**{turn: present(turn, line(**given))})[COMPANIES.name].to_dicts()
    assert profile["is_listed"] is is_listed


@pytest.mark.parametrize(
    ("given", "ends"),
    [
        ({"ends_on": date(2031, 6, 30)}, [None]),
        ({"ends_on": date(2026, 6, 30)}, [date(2026, 6, 30)]),
        ({"first_traded": date(2031, 6, 30)}, []),
    ],
)
def test_days_further_ahead_than_a_year_are_kept_out_of_the_shared_table(
    given: dict[str, Any], ends: list[Any]
) -> None:
    turn = f.full_table("SE", date(2026, 1, 17)).name
    made = shared(**{turn: present(turn, line(**given))})
    assert made[LISTINGS.name]["ended_on"].to_list() == ends
    (profile,) = made[COMPANIES.name].to_dicts()
    assert profile["is_listed"] is bool(ends)


def test_a_market_without_any_of_it_says_nothing() -> None:
    made = shared()
    (profile,) = made[COMPANIES.name].to_dicts()
    assert (profile["is_listed"], profile["is_listed_source"]) == (False, None)
    assert made[LISTINGS.name].is_empty()
    assert made[IDENTIFIERS.name].is_empty()


@check_cases("code", ["SE", "NO", "FI", "UK", "US"])
def test_every_served_market_decides_by_this_rule(code: str) -> None:
    made = next(one for one in JURISDICTIONS if one.code == code)
    keys = {dataset.key for dataset in made.datasets}
    assert f"{code.lower()}.isin" in keys
    assert ("us.symdir" if code == "US" else f"{code.lower()}.firds") in keys
    assert made.field_precedence["is_listed"][0] in keys
    assert set(made.field_precedence["is_listed"]) <= keys
