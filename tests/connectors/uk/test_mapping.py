"""Companies of all British sources together: what each contributes, and what wins."""

import json
from datetime import UTC, date, datetime

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from connectors.kit import staging
from connectors.uk import UNITED_KINGDOM, live_schema, mapping
from connectors.uk import register as uk_register
from connectors.uk.accounts.schema import ACCOUNTS
from connectors.uk.basic_company_data import dataset as basic_company_data_dataset
from connectors.uk.psc import schema as psc_schema
from connectors.uk.register import LICENCE
from connectors.uk.streaming_api import datasets
from tests.pipelines.eventful import event_types_between
from tests.tables import check_cases
from warehouse.schema import tables
from warehouse.schema.identifiers import parse_scoped

RUN = date(2026, 11, 21)
AT = datetime(2026, 11, 1, tzinfo=UTC)
LATER = datetime(2026, 11, 10, tzinfo=UTC)
INSTANT = pl.Datetime("us", "UTC")
NUMBER = "01234567"


def present(table, *rows, at=AT):
    """Present rows as pipelines hand them over, from members that matter."""
    frame = staging.make_batch(table, list(rows)).rows if rows else staging.empty_staged_frame(table)
    return frame.with_columns(
        UNITED_KINGDOM.company_ids_of_rows(table.name, frame).alias("_company_id"),
        pl.lit(at).cast(INSTANT).alias("_observed_at"),
        pl.lit("0" * 64).alias("_raw"),
        pl.lit(None, INSTANT).alias("_retired_at"),
    ).lazy()


def register(**row):
    usual = {
        "CompanyName": "EXAMPLE LIMITED",
        "CompanyNumber": NUMBER,
        "CompanyStatus": "Active",
        "CompanyCategory": "Private Limited Company",
    }
    return present(basic_company_data_dataset.COMPANIES, {**usual, **row})


def accounts(at=LATER, **row):
    usual = {
        "document_sha256": "a" * 64,
        "document": "a.html",
        "company_number": NUMBER,
        "company_name": "Example Limited",
        "balance_date": date(2025, 12, 31),
        "period_start": date(2025, 1, 1),
        "period_end": date(2025, 12, 31),
        "is_consolidated": False,
        "is_comparative": False,
        "is_start_assumed": False,
        "derived": [],
        "is_amendment": False,
        "revenue": 5,
        "currency": "GBP",
    }
    return present(ACCOUNTS, {**usual, **row}, at=at)


def exemption(*periods, at=LATER):
    key = "disclosure_transparency_rules_chapter_five_applies"
    items = [{"key": key, "exempt_from": start, "exempt_to": end} for start, end in periods]
    row = {"company_number": NUMBER, "exemptions": json.dumps(items), "deleted": False}
    return present(psc_schema.EXEMPTIONS, row, at=at)


def companies_of(**rows):
    return mapping.map_registers(rows, RUN)["companies"]


def company(**rows):
    return companies_of(**rows).row(0, named=True)


def test_every_table_has_its_declared_shape_even_of_nothing():
    for name, rows in mapping.map_registers({}, RUN).items():
        assert rows.schema == staging.staged_schema(SHARED[name]), name
        assert rows.is_empty()
    full = {"uk_companies": register(), "uk_accounts": accounts(), "uk_exemptions": exemption(("2020-01-01", None))}
    for name, rows in mapping.map_registers(full, RUN).items():
        assert rows.schema == staging.staged_schema(SHARED[name]), name


def test_allowed_codes_and_mandatory_columns_hold():
    rows = companies_of(uk_companies=register(), uk_accounts=accounts(company_number="SC000001"))
    for column in tables.COMPANIES.columns:
        assert column.nullable or rows[column.name].null_count() == 0, column.name
        assert not column.allowed or set(rows[column.name].drop_nulls()) <= set(column.allowed), column.name


def test_a_company_known_only_from_accounts_has_name_and_number():
    found = company(uk_accounts=accounts())
    assert (found["company_id"], found["org_number"], found["name"]) == ("firm:UK:01234567", NUMBER, "Example Limited")
    assert (found["status"], found["status_detail"], found["status_source"]) == ("active", None, None)
    assert (found["registry_status"], found["registered_date"], found["observed_at"]) == (None, None, LATER)


def test_a_company_known_only_from_dormant_accounts_is_dormant():
    found = company(uk_accounts=accounts(dormant=True))
    assert (found["status"], found["status_detail"], found["status_source"]) == ("dormant", "no_trading", None)


def test_accounts_without_a_name_make_no_company():
    rows = mapping.map_registers({"uk_accounts": accounts(company_name=None)}, RUN)
    assert rows["companies"].is_empty()
    assert len(rows["financials_reported"]) == 1


def test_ownership_alone_makes_no_company():
    row = {"company_number": NUMBER, "id": "x", "natures_of_control": [], "deleted": False}
    rows = mapping.map_registers({"uk_psc": present(psc_schema.PSC, row)}, RUN)
    assert rows["companies"].is_empty()
    assert len(rows["holdings"]) == 1


def test_the_register_has_the_name_and_one_row_is_made():
    rows = companies_of(uk_companies=register(), uk_accounts=accounts())
    assert rows["name"].to_list() == ["EXAMPLE LIMITED"]
    assert rows["observed_at"].to_list() == [LATER]


@check_cases(
    ("category", "made_up", "flag", "status", "source"),
    [
        ("MICRO ENTITY", "31/12/2024", True, "dormant", "uk.accounts"),  # newer accounts decide
        ("MICRO ENTITY", "31/12/2025", True, "dormant", "uk.accounts"),  # the same accounts say more
        ("MICRO ENTITY", "31/12/2026", True, "active", "uk.companies"),  # older accounts say nothing of today
        ("DORMANT", "31/12/2024", False, "active", "uk.companies"),
        ("DORMANT", "31/12/2024", None, "dormant", "uk.companies"),
        ("DORMANT", "31/12/2026", False, "dormant", "uk.companies"),
        ("NO ACCOUNTS FILED", None, True, "dormant", "uk.accounts"),
        (None, None, None, "active", "uk.companies"),
    ],
)
def test_dormancy_by_the_newest_accounts(category, made_up, flag, status, source):
    row = {"Accounts.AccountCategory": category, "Accounts.LastMadeUpDate": made_up}
    found = company(uk_companies=register(**row), uk_accounts=accounts(dormant=flag))
    assert (found["status"], found["status_source"]) == (status, source)


def test_liquidation_stays_what_it_is_whatever_accounts_say():
    found = company(uk_companies=register(CompanyStatus="Liquidation"), uk_accounts=accounts(dormant=False))
    assert (found["status"], found["status_detail"]) == ("dormant", "liquidation")


@check_cases(
    ("periods", "listed"),
    [
        ([("2020-01-01", None)], True),
        ([("2017-01-01", "2019-01-01")], False),
        ([("2017-01-01", "2019-01-01"), ("2020-01-01", None)], True),
        ([("2020-01-01", "2026-12-31")], True),
        ([("2020-01-01", "2031-12-31")], True),
        ([("2031-01-01", None)], False),
        ([], False),
    ],
)
def test_a_company_is_listed_on_the_evidence_of_a_live_exemption(periods, listed):
    found = company(uk_companies=register(), uk_exemptions=exemption(*periods))
    assert (found["is_listed"], found["is_listed_source"]) == (listed, "uk.psc" if listed else None)


def test_sources_name_what_each_register_gave():
    rows = {
        "uk_companies": register(),
        "uk_accounts": accounts(),
        "uk_exemptions": exemption(("2020-01-01", None), at=datetime(2026, 11, 12, 13, 14, 15, tzinfo=UTC)),
    }
    sources = json.loads(company(**rows)["sources"])
    page = f"https://find-and-update.company-information.service.gov.uk/company/{NUMBER}"
    assert [(source["register"], source["retrieved_at"], source["fields"]) for source in sources] == [
        (
            "uk.companies",
            "2026-11-01T00:00:00Z",
            ["name", "sni_code", "sni_label", "municipality", "county", "registered_date", "status"],
        ),
        ("uk.accounts", "2026-11-10T00:00:00Z", ["latest_revenue", "latest_currency", "latest_year"]),
        ("uk.psc", "2026-11-12T13:14:15Z", ["is_listed"]),
    ]
    assert {(source["native_id"], source["url"], source["licence"]) for source in sources} == {
        (NUMBER, page, LICENCE.name)
    }
    assert [source["register"] for source in json.loads(company(uk_companies=register())["sources"])] == [
        "uk.companies"
    ]


def test_rows_of_one_company_do_not_depend_on_others():
    both = pl.concat([register(), register(CompanyNumber="SC000001", CompanyName="OTHER LTD")])
    alone = company(uk_companies=register())
    together = companies_of(uk_companies=both).row(by_predicate=pl.col("org_number") == NUMBER, named=True)
    assert alone == together


# known by LEI or name, with tests of their own
ISSUERS = {
    *("uk.esef", "uk.lei", "uk.nsm"),
    *("uk.firds", "uk.firds_changes", "uk.isin", "uk.lei_parents"),
    *("uk.wires", "uk.fca", "uk.pra"),
}
SHARED = {table.name: table for table in (*tables.TABLES, *tables.PASSING)}


def test_staged_tables_and_touches_know_each_other():
    declared = {
        table.name: table
        for data in UNITED_KINGDOM.datasets
        if data.key not in ISSUERS
        for table in data.staged_tables.values()
    }
    for name, table in declared.items():
        row = dict.fromkeys(table.names) | {key: NUMBER for key in table.names if "umber" in key and "CompanyN" in key}
        if "company_number" in table.names:
            row["company_number"] = NUMBER
        frame = pl.DataFrame([row], schema=staging.staged_schema(table), orient="row")
        due = [None] if name == "uk_psc_totals" else ["firm:UK:01234567"]
        assert UNITED_KINGDOM.company_ids_of_rows(name, frame).to_list() == due, name


def test_the_declaration_names_its_own_datasets():
    keys = {data.key for data in UNITED_KINGDOM.datasets}
    assert keys == {"uk.companies", "uk.accounts", "uk.psc"} | ISSUERS | {dataset.key for dataset in datasets.DATASETS}
    assert {key for held in UNITED_KINGDOM.field_precedence.values() for key in held} <= keys


@given(
    text=st.from_regex(r"\A(?:[A-Za-z]{2}[0-9A-Za-z]{1,6}|[0-9]{1,8}|[A-Za-z][0-9]{7})\Z")
    | st.text("SCNI0123456789R -", max_size=10)
)
def test_a_column_of_numbers_is_spelt_as_one_number_is(text):
    assert pl.select(uk_register.canonical_numbers(pl.lit(text))).item() == uk_register.canonical_number(text)


@given(text=st.from_regex(r"\A(?!US|CIK)(?:[A-Z]{2}[0-9A-Z]{1,6}|[0-9]{1,8}|[A-Z][0-9]{7})\Z"))
def test_a_number_is_spelt_as_the_product_spells_it(text):
    due = parse_scoped("UK", text)
    assert due is not None
    assert uk_register.canonical_number(text) == due.org_number


def test_numbers_that_no_rule_foresees_are_kept():
    assert uk_register.canonical_number("0123456R") == "0123456R"
    assert uk_register.canonical_number("sc 1234") == "SC001234"
    assert uk_register.canonical_number("not a number") is None


def test_profile_alone_says_nothing_of_accounts_that_the_register_file_would_list():
    said = {"company_number": NUMBER, "company_name": "EXAMPLE LIMITED", "company_status": "active", "deleted": False}
    profile = present(live_schema.PROFILES, {**said, "sic_codes": ["99999"]})
    unread = company(uk_profiles=profile)
    assert (unread["status"], unread["status_detail"], unread["status_source"]) == ("active", None, None)
    read = company(uk_profiles=profile, uk_companies=present(basic_company_data_dataset.COMPANIES))
    assert (read["status"], read["status_detail"], read["status_source"]) == ("dormant", "no_trading", "uk.profiles")
    loaded = {"uk_profiles": profile, "uk_companies": present(basic_company_data_dataset.COMPANIES)}
    before, after = (UNITED_KINGDOM.to_shared_tables(rows, RUN) for rows in ({"uk_profiles": profile}, loaded))
    assert event_types_between(before, after) == [], "the status follows the data that come, silently"
    other = company(uk_profiles=present(live_schema.PROFILES, {**said, "sic_codes": ["62020"]}))
    assert (other["status"], other["status_source"]) == ("active", "uk.profiles")
