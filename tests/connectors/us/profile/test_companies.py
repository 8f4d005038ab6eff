"""Profiles, identifiers, listings and reports of US filers (docs/formats/us.md 12.1, 12.6)."""

import json
from datetime import date
from typing import Any

import polars as pl
import pytest

from connectors.contract.dataset import CONTRADICTIONS, MAPPING_SIGNALS
from connectors.kit import staging
from connectors.us.code_lists import INDUSTRIES, PLACES
from connectors.us.filing_headers import schema as r
from connectors.us.profile import companies
from connectors.us.register import filing_id
from connectors.us.submissions.filings import with_known_starts
from connectors.us.symbols import company_tickers
from tests.connectors.us.filer_bodies import (
    CIK,
    COMPANY,
    TODAY,
    batches,
    company,
    filer,
    filing,
    page,
    person,
    rejects,
    shared,
    signals,
)
from tests.tables import check_cases
from warehouse import schema_render
from warehouse.schema.tables import FILINGS, PASSING, TABLES

REPORT = filing("10-K", "2026-02-20", reportDate="2025-12-31")


def symbols(*listed: list[object]) -> list:
    body = {"fields": ["cik", "name", "ticker", "exchange"], "data": list(listed)}
    return batches(body, "company_list/company_tickers_exchange.json", company_tickers.DATASET)


def test_a_profile() -> None:
    found = company(filer([REPORT], formerNames=[{"name": "OLD INC", "from": None, "to": "2010-01-01T00:00:00.000Z"}]))
    assert found is not None
    due = {
        "company_id": COMPANY,
        "org_number": f"US{CIK}",
        "name": "EXAMPLE COMPUTERS INC",
        "country": "US",
        "industry_code": "3571",
        "industry_label": "Electronic Computers",
        "industry_scheme": "SIC",
        "municipality": "AUSTIN",
        "county": "Texas",
        "county_code": "US-TX",
        "address_country": "US",
        "registered_date": date(2026, 2, 20),
        "status": "active",
        "is_listed": True,
        "is_listed_source": "us.submissions",
        "previous_names": ["OLD INC"],
        "employees": None,
        "legal_form_code": None,
    }
    assert found | due == found
    assert json.loads(found["sources"])[0]["url"] == f"https://data.sec.gov/submissions/CIK{CIK}.json"


def test_former_names_have_no_marks_and_are_other_names() -> None:
    spelled = [
        ("Example Computers, Inc.", "2019-08-05"),
        ("EXAMPLE COMPUTERS INC /DE/", "2016-08-05"),
        ("OLD, INC.", "2015-01-05"),
        ("OLD INC / FA", "2014-01-05"),
        ("EXAMPLE RESEARCH CO /NC/", "2010-01-05"),
    ]
    former = [{"name": name, "from": None, "to": f"{to}T00:00:00.000Z"} for name, to in spelled]
    found = company(filer([REPORT], formerNames=former))
    assert found is not None
    assert found["previous_names"] == ["OLD, INC.", "EXAMPLE RESEARCH CO"]
    none = company(filer([REPORT], formerNames=former[:2]))
    assert none is not None
    assert none["previous_names"] is None


def test_every_table_keeps_its_schema() -> None:
    found = shared(
        [*batches(filer([REPORT])), *symbols([7, "OTHER INC", "OTH", "Nasdaq"], [7, "OTHER INC", "OTH-PA", None])]
    )
    shared_tables = {table.name: table for table in (*TABLES, *PASSING)}
    assert found.pop(CONTRADICTIONS).is_empty()
    assert found.pop(MAPPING_SIGNALS).is_empty()
    for name, frame in found.items():
        assert schema_render.find_violations(shared_tables[name], frame, TODAY) == []
    assert found["companies"].height == 2


@check_cases(
    ("written", "shown"),
    [
        ("PROGRESSIVE CORP/OH/", "PROGRESSIVE CORP"),
        ("CREE RESEARCH INC /NC/", "CREE RESEARCH INC"),
        ("WELLS FARGO & COMPANY/MN", "WELLS FARGO & COMPANY"),
        ("Siemens Energy AG/ADR", "Siemens Energy AG/ADR"),
        ("US BANCORP \\DE\\", "US BANCORP"),
        ("ROYAL BANK OF X \\", "ROYAL BANK OF X"),
        ("ALDER INC /DE/ /NEW/", "ALDER INC"),
        ("APPLE COMPUTER INC/ FA", "APPLE COMPUTER INC"),
        ("BANK  OF   X", "BANK OF X"),
        ("NOVO NORDISK A/S", "NOVO NORDISK A/S"),
        ("/DE/", "/DE/"),
    ],
)
def test_names_lose_the_mark_of_a_state(written: str, shown: str) -> None:
    frame = pl.DataFrame({"n": [written]}).select(companies.display_name(pl.col("n")))
    assert frame.item() == shown


@pytest.mark.parametrize(
    ("code", "county", "subdivision", "country"),
    [
        ("CA", "California", "US-CA", "US"),
        ("GA", "Georgia", "US-GA", "US"),
        ("DE", "Delaware", "US-DE", "US"),
        ("A6", "Ontario", "CA-ON", "CA"),
        ("Z4", None, None, "CA"),
        ("2M", None, None, "DE"),
        ("X0", None, None, "GB"),
        ("L3", None, None, "IL"),
        ("2Q", None, None, "GE"),
        ("PR", "Puerto Rico", "US-PR", "PR"),
        ("XX", None, None, None),
        ("Q0", None, None, None),
    ],
)
def test_pitfall_15_place_codes_are_not_iso(code, county, subdivision, country) -> None:
    address = {"street1": "1 WAY", "city": "CITY", "stateOrCountry": code}
    found = company(filer([REPORT], addresses={"business": address, "mailing": None}))
    assert found is not None
    assert (found["county"], found["county_code"], found["address_country"]) == (county, subdivision, country)


@check_cases(
    ("place", "territory", "code", "expected"),
    [
        (None, "DC", "X0", (None, None, "GB")),  # Shell: an unstated territory of London, not of Columbia
        (None, "ONTARIO", "A6", ("Ontario", "CA-ON", "CA")),
        (None, None, "F5", (None, None, "TW")),
        ("K3", None, "K3", (None, None, "HK")),
        ("TX", None, None, ("Texas", "US-TX", "US")),
        (None, None, None, (None, None, None)),
    ],
)
def test_the_place_of_a_foreign_address_may_be_its_country_code_alone(
    place: str | None, territory: str | None, code: str | None, expected: tuple[str | None, ...]
) -> None:
    """EDGAR leaves `stateOrCountry` of many foreign addresses empty since it has fields of their own for them."""
    foreign = {"isForeignLocation": 1, "foreignStateTerritory": territory, "country": "somewhere", "countryCode": code}
    address = {"street1": "1 WAY", "city": "CITY", "stateOrCountry": place, **foreign}
    found = company(filer([REPORT], addresses={"business": address, "mailing": None}))
    assert found is not None
    assert (found["county"], found["county_code"], found["address_country"]) == expected
    assert found["municipality"] == "CITY"


def test_a_foreign_address_without_a_city_is_still_the_business_address() -> None:
    business = {"street1": "1 WAY", "city": None, "stateOrCountry": None, "countryCode": "X0"}
    mailing = {"street1": "2 POST ST", "city": "RENO", "stateOrCountry": "NV"}
    found = company(filer([REPORT], addresses={"business": business, "mailing": mailing}))
    assert found is not None
    assert (found["municipality"], found["address_country"]) == (None, "GB")


def test_pitfall_15_every_place_has_a_country_of_its_own() -> None:
    assert len(PLACES.codes) == 309
    countries = PLACES.columns["country"]
    assert {code for code in PLACES.codes if code not in countries} == {"XX"}
    foreign = [country for code, country in countries.items() if country not in {"US", "CA"}]
    assert len(set(foreign)) == len(foreign)
    assert all(len(country) == 2 and country.isalpha() for country in countries.values())


@check_cases(
    ("exchanges", "listed"),
    [(["Nasdaq"], True), (["NYSE"], True), (["CBOE"], True), (["OTC"], False), (["OTC", "NYSE"], True)],
)
def test_over_the_counter_is_not_listed(exchanges: list[str], listed: bool) -> None:
    tickers = [f"T{number}" for number in range(len(exchanges))]
    found = company(filer([REPORT], tickers=tickers, exchanges=exchanges))
    assert found is not None
    assert found["is_listed"] is listed


def test_an_exchange_that_nobody_states_needs_a_report_that_covers_one() -> None:
    def listed(*filings: object) -> bool:
        found = company(filer(filings, exchanges=[None]))
        assert found is not None
        return found["is_listed"]

    assert listed(REPORT)
    assert not listed(REPORT | {"fileNumber": "000-12345"})
    assert not listed(filing("10-K", "2025-05-01"), filing("10-Q", "2026-05-01"))  # too long ago
    known = company(filer(exchanges=[None]), TODAY, symbols([CIK, "X", "EXC", "NYSE"]))
    assert known is not None
    assert (known["is_listed"], known["is_listed_source"]) == (True, "us.tickers")


def test_pitfall_04_individuals_are_no_companies() -> None:
    assert company(person()) is None
    assert shared(batches(person()))["identifiers"].is_empty()


def test_pitfall_04_an_individual_is_none_whatever_an_old_page_lists() -> None:
    old = page([filing("10-K", "1999-03-01")])
    assert company(person(), TODAY, batches(old, "submissions/CIK0000999002-submissions-001.json")) is None


@pytest.mark.parametrize(
    ("shape", "is_company"),
    [
        ({"entityType": "other", "sic": ""}, False),  # a holder
        ({"entityType": "other", "sic": "8880"}, False),  # receipts for shares of somebody else
        ({"entityType": "investment", "sic": ""}, False),  # a fund
        ({"entityType": "investment", "sic": "6726"}, False),
        ({"entityType": "other", "sic": "6189"}, True),
        ({"entityType": "other", "sic": "100"}, True),  # agriculture: a number has lost its zero
        ({"entityType": "operating", "sic": ""}, True),
        ({"entityType": "", "sic": ""}, False),
    ],
)
def test_who_is_a_company(shape, is_company) -> None:
    assert (company(filer([filing("D", "2026-01-02")], **shape)) is not None) is is_company
    assert company(filer([REPORT], **shape)) is not None  # who reports of itself is one


def test_a_foreign_government_is_no_company() -> None:
    assert company(filer([filing("18-K", "2026-01-02")], sic="8888")) is None


@pytest.mark.parametrize(
    ("filed", "listed"),
    [("2015-03-02", True), ("2026-03-02", False), ("2026-11-15", True)],  # left for another; left; not yet
)
def test_a_removal_since_the_covering_report_ends_an_unstated_listing(filed: str, listed: bool) -> None:
    row = {r.ACCESSION: "0000876661-26-000777", r.CIK: CIK, r.IS_SHARE: True, r.RULE: "(b)"}
    gone = staging.make_batch(r.REMOVALS, [{**row, r.FILED: date.fromisoformat(filed)}])
    body = filer([filing("10-K", "2026-02-20", reportDate="2025-12-31")], exchanges=[None])
    found = company(body, TODAY, [gone])
    assert found is not None
    assert found["is_listed"] is listed


def test_symbols_and_numbers_identify() -> None:
    found = shared(
        batches(
            filer(
                [REPORT],
                tickers=["EXC", "EXC-PA", "EXCW"],
                exchanges=["NYSE", "NYSE", "OTC"],
                lei="5299000000000000AA78",
            )
        )
    )
    pairs = found["identifiers"].select("scheme", "value").rows()
    assert sorted(pairs) == [
        ("cik", CIK),
        ("exchange_mic", "XNYS"),
        ("lei", "5299000000000000AA78"),
        ("ticker", "EXC"),
        ("ticker", "EXC-PA"),
        ("ticker", "EXCW"),
    ]
    assert found["listings"].select("native_id", "exchange_mic").rows() == [("EXC", "XNYS"), ("EXC-PA", "XNYS")]


def test_a_symbol_has_the_exchange_of_its_own_or_none() -> None:
    """A profile shows one symbol and one exchange: of the smallest symbol, which may be quoted over the counter."""
    for exchanges, due in ((["OTC", "NYSE"], []), (["Nasdaq", "NYSE"], ["XNAS"]), ([None, "NYSE"], [])):
        found = shared(batches(filer([REPORT], tickers=["AEXW", "EXC"], exchanges=exchanges)))["identifiers"]
        assert found.filter(pl.col("scheme") == "exchange_mic")["value"].to_list() == due


def test_a_filer_known_by_its_symbol_alone() -> None:
    found = shared(symbols([7, "OTHER INC /DE/", "OTH", "Nasdaq"], [8, "OVER INC", "OVR", "OTC"]))["companies"]
    assert found.select("name", "status", "status_source", "is_listed", "is_listed_source").rows() == [
        ("OTHER INC", "active", None, True, "us.tickers"),
        ("OVER INC", "active", None, False, "us.tickers"),
    ]


def test_the_list_of_symbols_and_what_is_wrong_with_it() -> None:
    found = symbols([7, "A", "A", "Nasdaq"], ["x", "B", "B", "NYSE"], [8, "C", None, "NYSE"], [9, "D", "D", "MOON"])
    assert len(rejects(found)) == 2
    assert signals(found) == {("unknown_code", "exchange MOON"): 1}
    body = {"fields": ["name", "exchange", "cik", "ticker", "rank"], "data": [["A", "NYSE", 7, "A", 1]]}
    found = batches(body, "company_list/company_tickers_exchange.json", company_tickers.DATASET)
    assert found[0].rows.row(0) == ("0000000007", "A", "A", "NYSE")
    assert signals(found) == {("unknown_column", "rank"): 1}


def test_industries_of_the_list_have_labels() -> None:
    assert INDUSTRIES.get("3571") == "Electronic Computers"
    found = company(filer([REPORT], sicDescription=""))
    assert found is not None
    assert found["industry_label"] == "Electronic Computers"
    short = company(filer([REPORT], sic=100, sicDescription=""))
    assert short is not None
    assert (short["industry_code"], short["industry_label"]) == ("0100", "Agricultural Production-Crops")
    none = company(filer([REPORT], sic="0000", sicDescription=""))
    assert none is not None
    assert (none["industry_code"], none["industry_scheme"]) == (None, None)


def reports(*filings: object) -> list[tuple[object, ...]]:
    found = shared(batches(filer(filings)))["filings"].sort("filed_at")
    return found.select("filing_type", "period_end", "filed_at", "is_amendment").rows()


def test_reports_are_filings_and_nothing_else_is() -> None:
    assert reports(
        filing("10-K", "2026-02-20", reportDate="2025-12-31"),
        filing("10-Q/A", "2026-05-20", reportDate="2026-03-31"),
        filing("6-K", "2026-06-01", reportDate="2026-06-01"),
        filing("6-K", "2026-07-01", reportDate="2026-06-30", isXBRL=1),
        filing("4", "2026-08-01", reportDate="2026-07-31"),
        filing("8-K", "2026-08-02", reportDate="2026-08-01", items="2.02"),
        filing("NT 10-Q", "2026-08-12", reportDate="2026-06-30"),
        filing("11-K", "2026-08-13", reportDate="2025-12-31"),
    ) == [
        ("annual_report", date(2025, 12, 31), date(2026, 2, 20), False),
        ("interim_report", date(2026, 3, 31), date(2026, 5, 20), True),
        ("interim_report", None, date(2026, 7, 1), False),  # the list names the month of a 6-K
    ]


def test_reports_of_small_companies_are_filings_as_edgar_writes_them() -> None:
    assert reports(
        filing("10KSB", "1999-03-30", reportDate="1998-12-31"),
        filing("10KSB40", "2000-03-30", reportDate="1999-12-31"),
        filing("10QSB", "2000-05-15", reportDate="2000-03-31"),
        filing("10KT405", "2001-03-30", reportDate="2000-12-31"),
        filing("10KSB/A", "2001-04-30", reportDate="1999-12-31"),
    ) == [
        ("annual_report", date(1998, 12, 31), date(1999, 3, 30), False),
        ("annual_report", date(1999, 12, 31), date(2000, 3, 30), False),
        ("interim_report", date(2000, 3, 31), date(2000, 5, 15), False),
        ("annual_report", date(2000, 12, 31), date(2001, 3, 30), False),
        ("annual_report", date(1999, 12, 31), date(2001, 4, 30), True),
    ]


@check_cases("form", ["10KSB", "10QSB", "10SB12G", "1-K"])
def test_who_files_a_report_of_a_small_company_is_one(form: str) -> None:
    shape: dict[str, Any] = {"entityType": "", "sic": "", "tickers": [], "exchanges": []}
    assert company(filer([filing(form, "2005-03-30")], **shape)) is not None


def test_a_filing_has_its_number_address_and_id() -> None:
    row = shared(batches(filer([REPORT])))["filings"].row(0, named=True)
    number = REPORT["accessionNumber"]
    assert (row["native_id"], row["filing_id"]) == (number, filing_id(CIK, number))
    folder = f"https://www.sec.gov/Archives/edgar/data/999001/{number.replace('-', '')}"
    assert row["document_url"] == f"{folder}/a.htm"
    bare = shared(batches(filer([REPORT | {"primaryDocument": ""}])))["filings"].row(0, named=True)
    assert bare["document_url"] == f"{folder}/{number}-index.html"


def test_pitfall_19_an_amendment_without_figures_is_of_the_same_period() -> None:
    rows = pl.DataFrame(
        {
            "company_id": ["a"] * 4,
            "filing_type": ["annual_report"] * 3 + ["interim_report"],
            "period_start": [date(2025, 1, 1), None, None, None],
            "period_end": [date(2025, 12, 31), date(2025, 12, 31), None, date(2025, 12, 31)],
        }
    )
    assert with_known_starts(rows)["period_start"].to_list() == [date(2025, 1, 1)] * 2 + [None, None]
    assert set(FILINGS.names) >= set(rows.columns)
