"""se.scb: Latin-1, tabs, quotes that mean nothing, the 16 before the number."""

from datetime import UTC, date, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from connectors.contract.dataset import NotApplicable, RecognisedFile, UnreadableFileError
from tests.connectors.se.bulk_files import (
    ONE,
    SCB,
    SCB_COLUMNS,
    TWO,
    batches,
    rejects,
    rows,
    scb,
    signals,
    unit,
    zipped,
)

_text = st.text(st.sampled_from("AB\"'\0 åÖé"), max_size=10)


def test_pitfall_1_latin_1_tabs_and_a_column_without_a_name() -> None:
    found = batches(SCB, scb(unit(ONE, Namn="ÅKERIET I GÖTEBORG AB", PostOrt="GÖTEBORG")))
    assert rows(found).select("Namn", "PostOrt").rows() == [("ÅKERIET I GÖTEBORG AB", "GÖTEBORG")]
    assert signals(found) == {}


@pytest.mark.parametrize("ending", ["\t", ""])
def test_pitfall_1_rows_with_and_without_the_last_tab(ending: str) -> None:
    found = batches(SCB, scb(unit(ONE), unit(TWO), ending=ending))
    assert rows(found)["organisationsnummer"].to_list() == [ONE, TWO]


def test_pitfall_1_one_row_may_end_otherwise_than_the_others() -> None:
    body = scb(unit(ONE), ending="\t") + scb(unit(TWO), ending="").split(b"\n", 1)[1]
    assert rows(batches(SCB, body))["organisationsnummer"].to_list() == [ONE, TWO]


@settings(max_examples=50)
@given(st.lists(st.tuples(_text, _text), min_size=1, max_size=5))
def test_pitfall_1_stray_quotes_and_nul_merge_no_rows(texts: list[tuple[str, str]]) -> None:
    made = [
        unit(str(5560000000 + place), Namn=f"X{name}", COAdress=street) for place, (name, street) in enumerate(texts)
    ]
    found = rows(batches(SCB, scb(*made)))
    assert found.height == len(made)
    assert set(found["PostNr"].to_list()) == {"11122"}


def test_a_row_broken_over_lines_is_joined() -> None:
    found = batches(SCB, scb(unit(ONE, Gatuadress="STORGATAN\n1"), unit(TWO)))
    assert rows(found).select("organisationsnummer", "Gatuadress").sort("organisationsnummer").rows() == [
        (ONE, "STORGATAN 1"),
        (TWO, None),
    ]


def test_pitfall_2_the_prefix_is_cut_off() -> None:
    assert rows(batches(SCB, scb(unit(ONE))))["organisationsnummer"].to_list() == [ONE]


def test_industry_codes_keep_leading_zeros_and_zeros_are_unknown() -> None:
    found = batches(SCB, scb(unit(ONE, Ng1="01110"), unit(TWO, Ng1="00000")))
    assert rows(found)["Ng1"].to_list() == ["01110", None]
    assert signals(found) == {}


@pytest.mark.parametrize(
    ("code", "year", "scheme"),
    [("01110", 2025, "SNI2007"), ("01110", 2026, "SNI2025"), ("62010", 2026, "SNI2007"), ("62100", 2025, "SNI2025")],
)
def test_pitfall_8_the_edition_of_the_codes_is_stored(code: str, year: int, scheme: str) -> None:
    found = batches(SCB, scb(unit(ONE, Ng1=code)), datetime(year, 6, 1, tzinfo=UTC))
    assert rows(found)["sni_version"].to_list() == [scheme]
    assert signals(found) == {}


def test_a_code_of_neither_list_has_no_edition_and_is_told() -> None:
    found = batches(SCB, scb(unit(ONE, Ng1="45678")))
    assert rows(found).select("Ng1", "sni_version").row(0) == ("45678", None)
    assert signals(found) == {("unknown_industry", "45678"): 1}


def test_dates_are_read_and_unreadable_ones_told() -> None:
    found = batches(SCB, scb(unit(ONE), unit(TWO, RegDatKtid="20011399", Ng1="62.1")))
    assert rows(found)["RegDatKtid"].to_list() == [date(2001, 5, 10), None]
    assert signals(found) == {("unreadable_value", "RegDatKtid"): 1, ("unreadable_value", "Ng1"): 1}


@pytest.mark.parametrize("written", ["2001111", "99991231", "00010101"])
def test_a_day_with_a_digit_too_few_or_of_no_registration_is_told_and_none(written: str) -> None:
    """Seven digits may be the first of November or the eleventh of January."""
    found = batches(SCB, scb(unit(RegDatKtid=written)))
    assert rows(found)["RegDatKtid"].to_list() == [None]
    assert signals(found) == {("unreadable_value", "RegDatKtid"): 1}


def test_a_file_in_utf_8_is_read_as_such_and_told() -> None:
    body = scb(unit(Namn="ÅKERIET ÖREBRO AB"), unit(TWO)).decode("latin-1").encode()
    found = batches(SCB, body)
    assert rows(found)["Namn"].to_list() == ["ÅKERIET ÖREBRO AB", "EXEMPEL AB"]
    assert signals(found) == {("encoding_fallback", "file"): 1}
    assert signals(batches(SCB, scb(unit(Namn="ÅKERIET ÖREBRO AB")))) == {}


def test_unknown_codes_are_signals() -> None:
    found = batches(SCB, scb(unit(ONE, FtgStat="7", JEStat="5", JurForm="77")))
    assert signals(found) == {
        ("unknown_code", "FtgStat 7"): 1,
        ("unknown_code", "JEStat 5"): 1,
        ("unknown_legal_form", "77"): 1,
    }
    assert rows(found).height == 1


def test_rows_that_are_no_company_are_listed() -> None:
    found = batches(SCB, scb(unit(ONE), unit(ONE), unit(TWO, PeOrgNr="191212121212"), unit(TWO, PeOrgNr="12")))
    assert rows(found).height == 1
    reasons = sorted(reason for _, reason, _ in rejects(found))
    assert reasons == [
        "PeOrgNr is no number of twelve digits",
        "not a company: a person's number",
        "number repeated in this file",
    ]


def test_a_missing_column_refuses_the_file() -> None:
    with pytest.raises(UnreadableFileError, match="FtgStat is missing"):
        batches(SCB, scb(unit(ONE)).replace(b"FtgStat", b"Other", 1))


def test_an_unknown_column_is_a_signal() -> None:
    found = batches(SCB, scb(unit(ONE)).replace(b"mReklamsparrtyp", b"nytt"))
    assert signals(found) == {("unknown_column", "nytt"): 1}


def test_the_name_tells_the_instant() -> None:
    body = zipped("scb_bulkfil_JE_20260601T065839_76.txt", scb(unit(ONE)))
    found = SCB.recognise_file("scb_bulk/scb_bulkfil.zip", body)
    assert isinstance(found, RecognisedFile)
    assert found.observed_at == datetime(2026, 6, 1, 6, 58, 39, tzinfo=UTC)
    assert isinstance(SCB.recognise_file("scb_bulk/x.json", b"{}"), NotApplicable)
    assert len(SCB_COLUMNS) == 34


def test_pitfall_2_rejects_say_nothing_of_who_may_be_a_person() -> None:
    found = batches(SCB, scb(unit(PeOrgNr="191212121212", Namn="HEMLIG"), unit(ONE)))
    assert [(record, excerpt) for record, _, excerpt in rejects(found)] == [("(withheld)", "")]
