"""Reading companyfacts: files, archives, broken members, drift; staged rows to shared tables and versions."""

import io
import json
from dataclasses import replace
from typing import Any

import polars as pl
import pytest

from connectors.contract.dataset import NotApplicable, PreviousArchive, RecognisedFile, Scope, UnreadableFileError
from connectors.kit import staging
from connectors.us import UNITED_STATES
from connectors.us.companyfacts import dataset as companyfacts_dataset
from connectors.us.companyfacts.schema import FACTS
from connectors.us.financials.concepts import SHARES
from connectors.us.register import filing_id
from pipelines.transforms.financials.versions import build_financial_versions
from tests.connectors.us.fact_files import Fact, accession, answer, archive, body, piece, present, read, shared, signals
from tests.tables import check_cases
from warehouse.schema.tables import FILINGS, FINANCIALS, FINANCIALS_REPORTED

YEAR = ("2024-01-01", "2024-12-31")
COMPANY = "firm:US:US0000999999"
FIRST: list[Fact] = [
    ("Revenues", *YEAR, 100_000.0, "25001", "10-K", "2025-02-10"),
    ("NetIncomeLoss", *YEAR, 10_000.0, "25001", "10-K", "2025-02-10"),
    ("Assets", "", "2024-12-31", 500_000.0, "25001", "10-K", "2025-02-10"),
]
COVER: Fact = ("dei:EntityCommonStockSharesOutstanding", "", "2025-01-31", 5.0, "25001", "10-K", "2025-02-10")
AMENDED: Fact = ("Revenues", *YEAR, 90_000.0, "25002", "10-K/A", "2025-04-01")


def served(facts: list[Fact], former: pl.DataFrame | None = None) -> pl.DataFrame:
    tables = shared(read(body(facts)))
    known = staging.empty_staged_frame(FINANCIALS) if former is None else former
    return build_financial_versions(tables[FINANCIALS_REPORTED.name], tables[FILINGS.name], known)


def test_staged_rows_are_one_per_filing_and_span() -> None:
    rows = next(batch.rows for batch in read(body(FIRST)) if batch.table == FACTS.name)
    assert rows.schema == staging.staged_schema(FACTS)
    assert rows.select("cik", "accession", "unit", "span", "Revenues", "Assets").sort("span").rows() == [
        ("0000999999", accession("25001"), "USD", "2024-01-01/2024-12-31", 100_000, None),
        ("0000999999", accession("25001"), "USD", "2024-12-31", None, 500_000),
    ]


@pytest.mark.parametrize("cik", [999999, "0000999999", "999999", "CIK0000999999"])
def test_pitfall_02_the_cik_is_a_number_or_a_text(cik: object) -> None:
    tables = shared(read(body(FIRST, cik=cik)))
    assert set(tables[FILINGS.name]["company_id"]) == {COMPANY}


def test_the_report_is_one_document_with_its_days_and_its_address() -> None:
    tables = shared(read(body(FIRST)))
    row = tables[FILINGS.name].row(0, named=True)
    assert row["filing_id"] == filing_id("0000999999", accession("25001"))
    assert (row["filing_type"], row["native_id"], row["is_amendment"]) == ("annual_report", accession("25001"), False)
    assert (str(row["period_start"]), str(row["period_end"]), str(row["filed_at"])) == (*YEAR, "2025-02-10")
    assert row["document_url"].endswith(
        f"/data/999999/{accession('25001').replace('-', '')}/{accession('25001')}-index.html"
    )
    assert tables[FINANCIALS_REPORTED.name].row(0, named=True)["accounting_standard"] == "US-GAAP"


def test_a_restatement_is_the_second_version_and_names_what_the_first_said() -> None:
    before = served(FIRST)
    after = served([*FIRST, AMENDED], before)
    rows = after.sort("version").select("version", "is_current", "is_restated", "revenue", "net_result", "total_assets")
    assert rows.rows() == [(1, False, False, 100_000, 10_000, 500_000), (2, True, True, 90_000, 10_000, 500_000)]


def test_filing_dated_far_ahead_does_not_win_over_the_genuine_one() -> None:
    ahead: Fact = ("Revenues", *YEAR, 1.0, "25003", "10-K/A", "2062-02-10")
    rows = served([*FIRST, ahead]).select("version", "revenue")
    assert rows.rows() == [(1, 100_000)]


def test_the_same_facts_again_make_no_version() -> None:
    before = served([*FIRST, AMENDED])
    assert served([*FIRST, AMENDED], before).drop("observed_at").equals(before.drop("observed_at"))


def test_a_filers_own_year_is_served() -> None:
    facts = [("Revenues", "2023-02-04", "2024-02-03", 100.0, "24001", "10-K", "2024-03-10")]
    for label in (2023, 2024):
        tables = shared(read(body(facts, fy=label)))
        made = build_financial_versions(
            tables[FINANCIALS_REPORTED.name], tables[FILINGS.name], staging.empty_staged_frame(FINANCIALS)
        )
        assert made["fiscal_year"].to_list() == [label]


def test_pitfall_17_successors_figures_stay_their_own() -> None:
    both = archive({f"CIK{n:010}.json": body(FIRST, cik=n) for n in (1288776, 1652044)})
    tables = shared(read(both, "companyfacts/companyfacts.zip"))
    assert tables[FILINGS.name]["filing_id"].n_unique() == 2
    assert tables[FINANCIALS_REPORTED.name]["company_id"].n_unique() == 2


def test_pitfall_18_a_filers_own_tags_are_not_there_and_nothing_is_guessed() -> None:
    facts = [fact for fact in FIRST if fact[0] != "Revenues"]
    assert served(facts)["revenue"].to_list() == [None]


def test_pitfall_19_an_amendment_without_statements_restates_nothing() -> None:
    cover = ("dei:EntityCommonStockSharesOutstanding", "", "2025-03-31", 5.0, "25002", "10-K/A", "2025-04-01")
    assert served([*FIRST, cover])["version"].to_list() == [1]


def test_pitfall_20_the_archive_is_read_member_by_member() -> None:
    members = {f"CIK{n:010}.json": body(FIRST, cik=n) for n in range(1, 1200)}
    whole = archive(members)
    batches = read(whole, "companyfacts/companyfacts.zip")
    rows = pl.concat([batch.rows for batch in batches if batch.table == FACTS.name])
    assert rows["cik"].n_unique() == 1199
    assert rows.height == 2 * 1199


def test_a_bad_member_is_a_reject_and_the_others_are_read() -> None:
    members = {
        "CIK0000000001.json": body(FIRST, cik=1),
        "CIK0000000002.json": body(FIRST)[:200],
        "CIK0000000003.json": b"<html>no</html>",
        "CIK0000000004.json": b"[" * 100_000,
    }
    batches = read(archive(members), "companyfacts/companyfacts.zip")
    rejected = pl.concat([batch.rejects for batch in batches])["record"].to_list()
    assert sorted(rejected) == ["CIK0000000002.json", "CIK0000000003.json", "CIK0000000004.json"]
    assert {cik for batch in batches for cik in batch.rows["cik"]} == {"0000000001"}


@pytest.mark.parametrize("content", [archive({"CIK0000000001.json": body(FIRST)})[:-30], b"PK\x03\x04cut"])
def test_a_cut_archive_is_unreadable(content: bytes) -> None:
    with pytest.raises(UnreadableFileError, match="truncated or damaged"):
        read(content, "companyfacts/companyfacts.zip")


@check_cases(
    "content", [b"{", b"[]", b'{"cik":"x","facts":{}}', b'{"cik":1,"facts":{"us-gaap":[]}}', b'{"message":"no"}']
)
def test_what_is_no_answer_is_unreadable(content: bytes) -> None:
    with pytest.raises(UnreadableFileError):
        read(content, "companyfacts/somebody.json")


def changed(**more: Any) -> bytes:
    found = answer(FIRST)
    entry = found["facts"]["us-gaap"]["Revenues"]["units"]["USD"][0]
    entry.update(more)
    return json.dumps(found).encode()


@check_cases(
    ("content", "code", "subject"),
    [
        (changed(val=None), "no_amount", "Revenues"),
        (changed(val=1e30), "no_amount", "Revenues"),
        (changed(val=10**18), "no_amount", "Revenues"),
        (changed(fy=None), "no_fiscal_year", "10-K"),
        *(
            (changed(**wrong), "impossible_fact", "Revenues")
            for wrong in (
                {"end": "2024-02-30"},
                {"end": "20241231"},
                {"end": "2024-W01-1"},
                {"end": "9999-12-31", "filed": "9999-12-31"},
                {"end": None},
                {"start": "2025-01-01", "end": "2024-12-31"},
                {"accn": "../../x"},
                {"accn": None},
                {"form": None},
                {"filed": "0024-01-01"},
                {"filed": "2062-02-10"},
            )
        ),
        (changed(fy="two"), "no_fiscal_year", "10-K"),
        (b"{}", "no_figures_tagged", "(none)"),
        (b'{"cik":1,"entityName":"x"}', "no_figures_tagged", "(none)"),
        (b'{"cik":1,"facts":null}', "no_figures_tagged", "(none)"),
        (body([COVER]), "no_figures_tagged", "dei"),
        (body([COVER], unit="USD"), "unknown_unit", f"{SHARES} USD"),
        (body(FIRST, unit="USD/shares"), "amount_without_currency", "Revenues USD/shares"),
        (body(FIRST, unit="XYZ"), "amount_without_currency", "Revenues XYZ"),
        (body([("us-gaap:Turnover", *YEAR, 1.0, "25001", "10-K", "2025-02-10")]), "no_figures_tagged", "us-gaap"),
        (body([("ifrs-next:Revenue", *YEAR, 1.0, "25001", "20-F", "2025-02-10")]), "no_figures_tagged", "ifrs-next"),
        (b'{"cik":1,"entityName":"","facts":{}}', "no_figures_tagged", "(none)"),
        (body([*FIRST, (*FIRST[0][:3], 7.0, *FIRST[0][4:])]), "conflicting_fact", "Revenues"),
        (body(FIRST, cik=5), "other_filer_than_named", "CIK0000999999.json"),
    ],
)
def test_drift_is_told(content: bytes, code: str, subject: str) -> None:
    assert subject in signals(read(content)).get(code, set())


def test_a_changed_tag_is_told_and_the_figure_is_null() -> None:
    later = ("2025-01-01", "2025-12-31")
    facts: list[Fact] = [
        *FIRST,
        ("TurnoverNet", *later, 120_000.0, "26001", "10-K", "2026-02-10"),
        ("NetIncomeLoss", *later, 12_000.0, "26001", "10-K", "2026-02-10"),
        ("Assets", "", later[1], 600_000.0, "26001", "10-K", "2026-02-10"),
    ]
    assert signals(read(body(facts)))["figure_no_longer_tagged"] == {"revenue"}
    assert served(facts).filter(pl.col("fiscal_year") == 2025)["revenue"].to_list() == [None]


def test_fractions_of_money_are_whole_units_halves_to_even_and_of_heads_halves_up() -> None:
    facts: list[Fact] = [
        ("Revenues", *YEAR, 100.5, "25001", "10-K", "2025-02-10"),
        ("OperatingIncomeLoss", *YEAR, 101.5, "25001", "10-K", "2025-02-10"),
        ("NetIncomeLoss", *YEAR, -2.5, "25001", "10-K", "2025-02-10"),
    ]
    assert served(facts).select("revenue", "operating_result", "net_result").row(0) == (100, 102, -2)
    found = answer(facts)
    heads = answer([("dei:EntityNumberOfEmployees", "", YEAR[1], 40.5, "25001", "10-K", "2025-02-10")], unit="pure")
    found["facts"] |= heads["facts"]
    tables = shared(read(json.dumps(found).encode()))
    assert tables[FINANCIALS_REPORTED.name]["employees"].to_list() == [41]


def test_heads_are_counted_in_any_unit() -> None:
    found = answer(FIRST)
    heads = answer([("dei:EntityNumberOfEmployees", "", YEAR[1], 41.0, "25001", "10-K", "2025-02-10")], unit="employee")
    found["facts"] |= heads["facts"]
    tables = shared(read(json.dumps(found).encode()))
    assert tables[FINANCIALS_REPORTED.name]["employees"].to_list() == [41]


@check_cases(
    ("name", "head", "due"),
    [
        ("companyfacts/CIK0000320193.json", b'{"cik":320193,"entityName":"A","facts":{', None),
        ("companyfacts/companyfacts.zip", archive({"CIK0000000001.json": b"{}"}), None),
        ("companyfacts/x.json", b"<?xml version='1.0'?><Error><Code>NoSuchKey</Code></Error>", "no such file"),
        ("companyfacts/x.json", b"<html>Your Request Originates from an Undeclared Automated Tool", "FIRM_USER_AGENT"),
        ("companyfacts/x.json", b'{"taxonomy":"us-gaap"}', "neither an answer"),
        ("frames/us-gaap.Assets.json", b"{}", "filing of each"),
        ("xbrl/nflx.xml", b"<xbrl/>", "one filing"),
    ],
)
def test_files_are_told_apart(name: str, head: bytes, due: str | None) -> None:
    found = companyfacts_dataset.recognise_file(name, head)
    if due is None:
        assert found == RecognisedFile(None, Scope.PART)
    else:
        assert isinstance(found, NotApplicable)
        assert due in found.reason


def test_names_of_filers_serve_where_there_is_no_profile() -> None:
    made = UNITED_STATES.to_shared_tables(present(read(body(FIRST))), pl.Series([0]).cast(pl.Date)[0])
    assert made["companies"]["name"].to_list() == ["Example Corp"]
    assert made[FINANCIALS_REPORTED.name].height == 1


def test_of_an_archive_read_against_the_one_before_only_who_changed_is_read() -> None:
    def night(revenue: float) -> bytes:
        changed: list[Fact] = [("Revenues", *YEAR, revenue, "25001", "10-K", "2025-02-10")]
        return archive({"CIK0000000001.json": body(FIRST, cik=1), "CIK0000000002.json": body(changed, cik=2)})

    def ciks(former: PreviousArchive | None) -> list[set[str]]:
        whole = replace(piece(night(200.0), "companyfacts.zip"), previous_archive=former)
        return [
            set(batch.rows["cik"])
            for part in companyfacts_dataset.split_members(whole)
            for batch in companyfacts_dataset.read_batches(part)
            if batch.table == FACTS.name
        ]

    assert ciks(None) == [{"0000000001", "0000000002"}]
    assert ciks(PreviousArchive(lambda: io.BytesIO(night(100.0)))) == [{"0000000002"}]
    assert ciks(PreviousArchive(lambda: io.BytesIO(night(200.0)))) == []
    assert companyfacts_dataset.DATASET.reread_interval is not None
