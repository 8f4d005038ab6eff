"""The numbered pitfalls of the format page that concern reading; those of the feeds stand with the feeds' tests.

See docs/formats/no.md 15.
"""

import json
from datetime import date

import polars as pl
import pytest

from connectors.contract.dataset import NotApplicable, UnreadableFileError
from connectors.no import NORWAY
from tests.connectors.no import entity_files
from tests.connectors.no.account_files import API, RECORD, api, batches, changed, normalised, present, reported
from tests.connectors.no.entity_rows import company
from tests.connectors.no.market_files import (
    envelope,
    group,
    listed,
    message,
    node,
    read,
    rejects,
    rows,
    shareholders,
    signals,
    through_the_door,
    whole,
)


def test_pitfall_01_names_are_spelled_as_the_source_spells_them() -> None:
    assert entity_files.json_of(sisteInnsendteAarsregnskap="2025").one["sisteInnsendteAarsregnskap"] == "2025"
    row = reported(changed("egenkapitalGjeld.egenkapital.sumEgenkapital", ...))
    assert row["equity"] == 400  # of sumInnskuttEgenkaptial and sumOpptjentEgenkapital
    assert row["accounting_standard"] == "NGAAP"  # of regnkapsprinsipper


def test_pitfall_02_an_empty_page_has_no_embedded() -> None:
    page = b'{"_links":{"self":{"href":"x"}},"page":{"size":20,"totalElements":0,"totalPages":0,"number":0}}'
    assert NORWAY.dataset("no.enheter").recognise_file("enheter/x.json", page) == NotApplicable(
        "search page without results"
    )
    assert entity_files.read(page, "page.json").rows == []


def test_pitfall_03_regnskap_array_both_shapes() -> None:
    def of(year: int, kind: str, journal: str) -> dict[str, object]:
        period = {"fraDato": f"{year}-01-01", "tilDato": f"{year}-12-31"}
        return RECORD | {"regnskapstype": kind, "journalnr": journal, "regnskapsperiode": period}

    years = [of(year, kind, f"{year + 1}000001") for kind in ("KONSERN", "SELSKAP") for year in (2023, 2024, 2025)]
    one, six = api(years[-1]).rows, api(*years).rows
    assert (one.height, six.height) == (1, 6)
    _, reports = normalised(no_regnskap=present(six))
    assert len({(row["period_end"], row["is_consolidated"]) for row in reports}) == 6


def test_pitfall_04_status_500_is_of_the_layout_and_gives_no_row() -> None:
    body = {"timestamp": "x", "status": "500", "error": "e", "message": "m", "path": "/regnskap/984851006"}
    (batch,) = batches(API, json.dumps(body).encode())
    assert batch.rows.is_empty()
    assert [(signal.code, signal.examples) for signal in batch.signals] == [("accounts_unavailable", ("984851006",))]


def test_pitfall_05_too_many_requests_under_status_200_is_not_accounts() -> None:
    with pytest.raises(UnreadableFileError, match="Too many requests"):
        batches(API, b"Too many requests")


def test_pitfall_06_no_count_of_employees_is_one_to_four_none_or_unknown() -> None:
    assert company(harRegistrertAntallAnsatte=True)["employees"] is None
    assert company(harRegistrertAntallAnsatte=False)["employees"] == 0
    assert company(harRegistrertAntallAnsatte=None)["employees"] is None


def test_pitfall_07_a_branch_with_a_foreign_address_has_no_municipality() -> None:
    found = company(
        **{
            "organisasjonsform.kode": "NUF",
            "forretningsadresse.landkode": "DE",
            "forretningsadresse.kommune": None,
            "forretningsadresse.kommunenummer": None,
            "postadresse.kommune": "OSLO",
            "postadresse.kommunenummer": "0301",
        }
    )
    assert (found["municipality"], found["county"], found["country"]) == (None, None, "NO")


def test_pitfall_08_csv_columns_in_another_case_and_lines_with_slash_n() -> None:
    row = entity_files.csv_of().one
    assert row["registreringsdatoEnhetsregisteret"] == date(1995, 3, 12)
    assert row["forretningsadresse.adresse"] == "c/o Noen AS\nGate 1"


def test_pitfall_09_the_edition_of_industry_codes_is_told_by_the_file() -> None:
    """That the switch makes no event is shown over days (tests/firm/test_norway_owners.py)."""
    assert entity_files.csv_of().one["naeringskodeverk"] == "SN2007"
    assert entity_files.json_of().one["naeringskodeverk"] == "SN2025"


def test_pitfall_10_counts_come_as_floats() -> None:
    capital = {"antallAksjer": 2390749040.0, "type": "Aksjekapital", "valuta": "NOK"}
    assert entity_files.json_of(kapital=capital).one["kapital.antallAksjer"] == 2_390_749_040


def test_pitfall_12_konsernstruktur_duplicates_and_text_percentages() -> None:
    twice = node("990440212", "33,33%", "KGRL")
    tree = group(
        "982463718",
        node("976967631", children=[twice]),
        node("983939724", "99,99 %", children=[node("976967631", children=[twice])]),
        node("990440212", "Indirekte mor", "KMOR"),
    )
    found = rows(read("no.konsern", tree, "982463718.json"), "no_konsern")
    edges = {row["organisasjonsnummer"]: json.loads(row["kanter"]) for row in found}
    told = {(edge["overordnet"], edge["prosent"]) for edge in edges["990440212"]}
    assert told == {("976967631", "33.33"), ("982463718", None)}
    assert [edge["prosent"] for edge in edges["983939724"]] == ["99.99"]
    assert len(found) == 4


def test_pitfall_13_shareholder_file_mark_quotes_and_stray_separators() -> None:
    body = shareholders(
        '984851006;DNB BANK ASA;Ordinære aksjer;UAB "ERA CAPITAL";;S-51, Tranemo; Sverige;SE;300;1000',
        "984851006;DNB BANK ASA;Ordinære aksjer;Eier AS;999999999;4020 STAVANGER;NO;500;1000",
    )
    batches = read("no.aksjonaer", through_the_door(body), "aksjeeiebok__2025.csv")
    found = rows(batches, "no_aksjonaer")
    assert [(row["navn"], row["landkode"], row["antall_aksjer"]) for row in found] == [
        ('UAB "ERA CAPITAL"', "SE", 300),
        ("Eier AS", "NO", 500),
    ]
    assert rejects(batches) == []


def test_pitfall_14_newsweb_overflow_sign_mojibake_and_the_envelope() -> None:
    broken = "Meldepliktig handel for Kåre Øst".encode().decode("latin-1")
    batches = read("no.newsweb", listed(message(category=1102, title=broken), overflow=True), "list-issuer-XXX.json")
    (row,) = rows(batches, "no_newsweb")
    assert row["title"] == "Meldepliktig handel for Kåre Øst"
    assert set(signals(batches)) == {("overflow", "list"), ("sign_ignored", "XXX"), ("double_encoding", "text")}
    for wrong in ({"result.val": 1}, {"http.code": 500}):
        with pytest.raises(UnreadableFileError, match="an error in the envelope"):
            read("no.newsweb", envelope({"messages": []}, **wrong), "list.json")
    assert rejects(read("no.newsweb", whole(test=True), "message-1.json")) == ["not a company: a test message"]


def test_pitfall_15_another_currency_and_a_year_that_ends_in_june() -> None:
    period = {"fraDato": "2024-07-01", "tilDato": "2025-06-30"}
    row = reported(RECORD | {"valuta": "USD", "regnskapsperiode": period})
    assert (row["currency"], row["period_start"], row["period_end"]) == ("USD", date(2024, 7, 1), date(2025, 6, 30))


def test_pitfall_16_the_register_began_in_1995() -> None:
    """Older companies all carry the first days of the register: served as they stand, and nothing made of it."""
    found = company(registreringsdatoEnhetsregisteret=date(1995, 2, 19))
    assert found["registered_date"] == date(1995, 2, 19)


def test_pitfall_17_days_are_norwegian_and_times_of_announcements_universal() -> None:
    late = message(publishedTime="2026-03-20T23:30:00.000Z")  # half past midnight in Oslo
    batches = read("no.newsweb", listed(late), "list.json")
    frame = next(batch.rows for batch in batches if batch.table == "no_newsweb")
    table = present(frame).with_columns(_company_id=pl.lit("firm:NO:923609016"))
    (filing,), _ = normalised(no_newsweb=table)
    assert filing["filed_at"] == date(2026, 3, 21)
