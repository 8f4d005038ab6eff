"""The list of equities, and how issuers without a number find their company (docs/formats/no.md 9 and 13.3)."""

import polars as pl
import pytest

from connectors.contract.dataset import NotApplicable, RecognisedFile, UnreadableFileError
from connectors.no import NORWAY
from connectors.no.enheter.schema import ENTITIES
from connectors.no.euronext import SHARES
from connectors.no.issuer_links import entity_key, issuer_cores
from name_matching.name_columns import fold_texts
from tests.connectors.no.entity_rows import ENTITY, MONDAY, NUMBER, TODAY, TUESDAY, present
from tests.connectors.no.market_files import euronext, read, rejects, rows, share, signals
from tests.tables import check_cases

COMPANY = f"firm:NO:{NUMBER}"
DATASET = NORWAY.dataset("no.euronext")


def shared(retired: bool = False) -> dict[str, pl.DataFrame]:
    row = rows(read("no.euronext", euronext(share("EKSEMPEL", "NO0010161896")), "list.csv"), "no_euronext")[0]
    table = present(SHARES, row, MONDAY, TUESDAY if retired else None).with_columns(
        pl.lit(COMPANY).alias("_company_id")
    )
    return dict(NORWAY.to_shared_tables({SHARES.name: table, ENTITIES.name: present(ENTITIES, ENTITY)}, TODAY))


def test_rows_behind_the_mark_and_the_preamble_are_read() -> None:
    body = euronext(
        share("DNB BANK", "NO0010161896"),
        share("AKER", "NO0010234552", '"Euronext Growth Oslo"'),
        share("BOTH", "NO0003043309", '"Oslo Børs, Euronext Paris"'),
    )
    batches = read("no.euronext", body, "list.csv")
    assert [(row["Name"], row["mic"]) for row in rows(batches, "no_euronext")] == [
        ("DNB BANK", "XOSL"),
        ("AKER", "MERK"),
        ("BOTH", "XOSL"),
    ]
    assert (rejects(batches), signals(batches)) == ([], {})


def test_other_markets_broken_rows_and_new_columns_are_told() -> None:
    body = euronext(
        share("ABROAD", "FR0000120271", '"Euronext Paris"'), share("NO ISIN", "NO001016189"), "SHORT;NO0010161896"
    )
    batches = read("no.euronext", body, "list.csv")
    assert rejects(batches) == [
        "not a company: not on a market of Oslo",
        "ISIN 'NO001016189' is none",
        "expected 15 fields, found 2",
    ]
    assert signals(batches) == {("unknown_code", "Market Euronext Paris"): 1}
    wider = euronext().replace(b"Volume;", b"Volume;Sector;")
    assert ("unknown_column", "sector") in signals(read("no.euronext", wider, "list.csv"))


def test_a_name_in_another_encoding_is_read_whole_and_told() -> None:
    body = euronext(share("MØRE", "NO0010161896", '"Euronext Growth Oslo"')).decode("utf-8-sig").encode("cp1252")
    batches = read("no.euronext", body, "list.csv")
    assert [row["Name"] for row in rows(batches, "no_euronext")] == ["MØRE"]
    assert signals(batches) == {("encoding_fallback", "line"): 1}


def test_an_isin_with_a_wrong_check_digit_is_told() -> None:
    batches = read("no.euronext", euronext(share("DNB BANK", "NO0010161895")), "list.csv")
    assert (len(rows(batches, "no_euronext")), signals(batches)) == (1, {("wrong_check_digit", "ISIN"): 1})


def test_an_isin_repeated_with_another_name_or_market_is_told_and_the_first_stays() -> None:
    first, other = share("DNB BANK", "NO0010161896"), share("DNB BANK", "NO0010161896", '"Euronext Growth Oslo"')
    batches = read("no.euronext", euronext(first, other, first), "list.csv")
    assert [row["mic"] for row in rows(batches, "no_euronext")] == ["XOSL"]
    assert rejects(batches) == ["repeated with other values"]


def test_a_quote_that_nobody_closes_costs_its_own_row_only() -> None:
    good = share("DNB BANK", "NO0010161896")
    body = euronext(good, '"' + share("AKER", "NO0010234552")[1:].replace('"', ""), *[good] * 3000)
    batches = read("no.euronext", body, "list.csv")
    assert [row["Name"] for row in rows(batches, "no_euronext")] == ["DNB BANK"]
    assert rejects(batches) == ["expected 15 fields, found 1"]
    other = euronext('"' + share("AKER", "NO0010234552")[1:].replace('"', ""), share("BOTH", "NO0003043309"))
    assert [row["Name"] for row in rows(read("no.euronext", other, "x.csv"), "no_euronext")] == ["BOTH"]


def test_a_quote_in_a_wrong_place_costs_its_own_row_only() -> None:
    good, wrong = share("DNB BANK", "NO0010161896"), share("AKER", "NO0010234552")
    body = euronext(good, wrong.replace('"AKER"', '""AKER""'), wrong.replace('"AKER"', '"AKER" ASA'))
    batches = read("no.euronext", body, "list.csv")
    assert [row["Name"] for row in rows(batches, "no_euronext")] == ["DNB BANK"]
    assert rejects(batches) == ["expected 15 fields, found 1"] * 2


def test_a_cell_past_the_limit_costs_its_own_row_only() -> None:
    body = euronext(share("X" * 200_000, "NO0010234552"), share("DNB BANK", "NO0010161896"))
    batches = read("no.euronext", body, "list.csv")
    assert [row["Name"] for row in rows(batches, "no_euronext")] == ["DNB BANK"]
    assert rejects(batches) == ["expected 15 fields, found 1"]


def test_what_is_no_list() -> None:
    assert isinstance(DATASET.recognise_file("euronext/x.csv", euronext()), RecognisedFile)
    assert isinstance(DATASET.recognise_file("euronext/x.xlsx", b"PK\x03\x04"), NotApplicable)
    for body in (b"<html><body>Just a moment...</body></html>", b"a;b\n", b""):
        with pytest.raises(UnreadableFileError):
            read("no.euronext", body, "x.csv")


def test_a_listed_share_is_evidence_and_its_absence_from_the_whole_list_an_end() -> None:
    found = shared()
    assert found["listings"].select("native_id", "exchange_mic", "ticker", "ended_on").rows() == [
        ("NO0010161896", "XOSL", "EKS", None)
    ]
    assert sorted(found["identifiers"].select("scheme", "value").rows()) == [
        ("exchange_mic", "XOSL"),
        ("isin", "NO0010161896"),
        ("ticker", "EKS"),
    ]
    assert found["companies"].select("is_listed", "is_listed_source").rows() == [(True, "no.euronext")]
    gone = shared(retired=True)
    assert gone["listings"]["ended_on"].to_list() == [TUESDAY.date()]
    assert gone["identifiers"].is_empty()
    assert gone["companies"].select("is_listed", "is_listed_source").rows() == [(False, "no.euronext")]


@check_cases(
    ("name", "plain", "bare"),
    [
        ("NORBIT ASA", "norbit asa", "norbit"),
        ("Norbit", "norbit", "norbit"),
        ("A/S ØST & VEST", "as ost vest", "ost and vest"),
        ("PPI Public Property Invest AB (publ)", "ppi public property invest ab publ", "ppi public property invest"),
        ("AS", "as", None),
    ],
)
def test_names_compared(name: str, plain: str, bare: str | None) -> None:
    assert fold_texts(pl.Series([name])).item() == plain
    assert issuer_cores(pl.Series([name])).item() == bare


def test_only_forms_that_list_shares_answer_to_a_name() -> None:
    frames = [
        present(ENTITIES, ENTITY | {"organisasjonsform.kode": form}).select(ENTITIES.names).collect()
        for form in ("AS", "ASA", "SPA", "ENK", "NUF")
    ]
    assert entity_key(issuer_cores).of(pl.concat(frames)).to_list() == ["eksempel"] * 3 + [None] * 2
