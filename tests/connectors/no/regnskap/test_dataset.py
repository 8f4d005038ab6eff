"""Accounts of the open API: shapes, records, figures."""

import json
from datetime import date
from typing import Any

import pytest

from connectors.contract.dataset import NotApplicable, RecognisedFile, Scope, UnreadableFileError
from tests.connectors.no.account_files import (
    API,
    NUMBER,
    RECORD,
    api,
    batches,
    changed,
    normalised,
    present,
    reported,
    signals,
)
from warehouse.schema.ids import filing_id


class TestShapes:
    def test_one_row(self) -> None:
        assert api(RECORD).rows.height == 1

    def test_one_row_per_year_and_scope(self) -> None:
        """Pitfall 3: never element 0."""
        group = RECORD | {"regnskapstype": "KONSERN", "id": 7192429}
        older = RECORD | {
            "journalnr": "2025428073",
            "regnskapsperiode": {"fraDato": "2024-01-01", "tilDato": "2024-12-31"},
        }
        filings, rows = normalised(no_regnskap=present(api(group, older, RECORD).rows))
        assert len(filings) == len(rows) == 3
        assert {row["is_consolidated"] for row in rows} == {True, False}

    def test_a_single_object(self) -> None:
        (batch,) = batches(API, json.dumps(RECORD).encode())
        assert batch.rows.height == 1

    def test_the_xml_form_gives_the_same_row(self) -> None:
        def xml(value: object) -> str:
            if isinstance(value, dict):
                return "".join(f"<{name}>{xml(child)}</{name}>" for name, child in value.items())
            return str(value).lower() if isinstance(value, bool) else str(value)

        (batch,) = batches(API, f"<ArrayList><item>{xml(RECORD)}</item></ArrayList>".encode(), "x.xml")
        assert batch.rows.to_dicts() == api(RECORD).rows.to_dicts()

    def test_of_two_rows_of_one_submission_the_higher_id_is_kept(self) -> None:
        wrong = changed("resultatregnskapResultat.aarsresultat", 1) | {"id": 7}
        for order in ((wrong, RECORD), (RECORD, wrong)):
            assert api(*order).rows["resultatregnskapResultat.aarsresultat"].to_list() == [50]

    @pytest.mark.parametrize(
        ("path", "value"),
        [
            ("resultatregnskapResultat.aarsresultat", 1),
            ("regnskapsperiode", {"fraDato": "2024-01-01", "tilDato": "2024-12-31"}),
        ],
    )
    @pytest.mark.parametrize("row_id", [7192427, None])
    def test_rows_of_one_submission_without_a_higher_id_that_differ_are_rejected(
        self, path: str, value: object, row_id: int | None
    ) -> None:
        rows = [RECORD | {"id": row_id}, changed(path, value) | {"id": row_id}]
        for order in (rows, rows[::-1]):
            batch = api(*order)
            assert batch.rows.is_empty()
            assert ["contradict" in reason for reason in batch.rejects["reason"]] == [True]
        assert api(rows[0], rows[0]).rows.height == 1


class TestRecognise:
    @pytest.mark.parametrize(
        ("name", "body", "word"),
        [
            ("x.json", b"", "no accounts"),
            (
                "x.json",
                b'{"timestamp":"t","status":"500","error":"E","message":"m","path":"/regnskap/984851006"}',
                "500",
            ),
            ("x.ttl", b"@prefix br: <x> .", "Turtle"),
            ("x.xml", b'<?xml version="1.0"?><rdf:RDF/>', "RDF"),
            ("x.json", b'{"openapi":"3.0"}', "journalnr"),
        ],
    )
    def test_what_is_not_ours_says_why(self, name: str, body: bytes, word: str) -> None:
        found = API.recognise_file(name, body)
        assert isinstance(found, NotApplicable)
        assert word in found.reason

    def test_accounts_are_a_part(self) -> None:
        assert API.recognise_file("x.json", json.dumps([RECORD]).encode()) == RecognisedFile(None, Scope.PART)

    def test_too_many_requests_with_status_200_is_unreadable(self) -> None:
        """Pitfall 5."""
        with pytest.raises(UnreadableFileError, match="try again later"):
            batches(API, b"Too many requests")

    def test_the_500_body_of_a_bank_is_a_signal_when_it_was_fetched(self) -> None:
        """Pitfall 4: permanent, whatever the message."""
        body = b'{"timestamp":"t","status":"500","error":"E","message":"m","path":"/regnskapsregisteret/regnskap/984851006"}'
        (batch,) = batches(API, body)
        assert batch.rows.is_empty()
        ((signal),) = batch.signals
        assert (signal.code, signal.examples) == ("accounts_unavailable", ("984851006",))


class TestRecords:
    @pytest.mark.parametrize(
        ("path", "value"),
        [
            ("virksomhet.organisasjonsnummer", "123"),
            ("virksomhet.organisasjonsnummer", ...),
            ("journalnr", ...),
            ("regnskapstype", "ANNET"),
            ("regnskapsperiode.fraDato", "i fjor"),
            ("regnskapsperiode.tilDato", ...),
            ("regnskapsperiode.tilDato", "2024-01-01"),
            ("regnskapsperiode.tilDato", "2026-12-31"),  # not over when it was observed
            ("regnskapsperiode.tilDato", "9999-12-31"),
            ("regnskapsperiode.fraDato", "0001-01-01"),
        ],
    )
    def test_a_record_that_cannot_be_placed_is_a_reject(self, path: str, value: object) -> None:
        batch = api(changed(path, value), RECORD)
        assert (batch.rows.height, batch.rejects.height) == (1, 1)

    def test_something_that_is_no_object_is_a_reject(self) -> None:
        assert api(None, "2024", RECORD).rejects.height == 2

    @pytest.mark.parametrize("value", ["mye", "1_000", "\uff19\uff10\uff10", "1 000", "1,5"])
    def test_an_unreadable_amount_is_null_and_told(self, value: str) -> None:
        batch = api(changed("eiendeler.sumEiendeler", value))
        assert batch.rows["eiendeler.sumEiendeler"].to_list() == [None]
        assert ("unreadable_value", "eiendeler.sumEiendeler") in signals(batch)

    @pytest.mark.parametrize(
        ("text", "whole"), [("67956000000.0", 67956000000), ("2.5", 2), ("3.5", 4), ("-2.5", -2), ("-0.4", 0)]
    )
    def test_amounts_are_rounded_half_to_even(self, text: str, whole: int) -> None:
        body = json.dumps([RECORD]).replace('"aarsresultat": 50', f'"aarsresultat": {text}').encode()
        (batch,) = batches(API, body)
        assert batch.rows["resultatregnskapResultat.aarsresultat"].to_list() == [whole]

    def test_an_unknown_key_is_told(self) -> None:
        assert ("unknown_key", "eiendeler.nyPost") in signals(api(changed("eiendeler.nyPost", 1)))

    @pytest.mark.parametrize("written", ["valutakode", "NKR", "XYZ", "nok", "XXX"])
    def test_an_unknown_currency_is_null_and_told(self, written: str) -> None:
        batch = api(changed("valuta", written))
        assert ("unknown_currency", written) in signals(batch)
        assert reported(changed("valuta", written))["currency"] is None

    def test_currency_of_old_accounts_is_known(self) -> None:
        assert not signals(api(changed("valuta", "FIM")))
        assert reported(changed("valuta", "FIM"))["currency"] == "FIM"

    def test_sums_that_do_not_hold_are_told_and_kept(self) -> None:
        small, gross = changed("eiendeler.sumEiendeler", 1001), changed("eiendeler.sumEiendeler", 2000)
        assert ("arithmetic_difference", "sumEiendeler = sumEgenkapitalGjeld") in signals(api(small))
        assert ("arithmetic_mismatch", "sumEiendeler = sumEgenkapitalGjeld") in signals(api(gross))
        assert reported(gross)["total_assets"] == 2000
        assert signals(api(RECORD)) == set()


class TestFigures:
    def test_the_figures_and_the_document(self) -> None:
        (filing,), (row,) = normalised(no_regnskap=present(api(RECORD).rows))
        assert filing["filing_id"] == row["filing_id"] == filing_id("no.regnskap", "2026635024:SELSKAP")
        assert filing["native_id"] == "2026635024:SELSKAP"
        assert filing["filed_at"] is None
        assert (
            filing["document_url"]
            == f"https://data.brreg.no/regnskapsregisteret/regnskap/aarsregnskap/kopi/{NUMBER}/2025"
        )
        assert (filing["filing_type"], filing["is_amendment"]) == ("annual_report", False)
        assert [
            row[name] for name in ("revenue", "operating_result", "net_result", "equity", "total_assets", "employees")
        ] == [900, 100, 50, 400, 1000, None]
        assert (row["currency"], row["accounting_standard"], row["derived"]) == ("NOK", "NGAAP", [])
        assert (row["period_start"], row["period_end"]) == (date(2025, 1, 1), date(2025, 12, 31))

    def test_missing_posts_are_null_and_never_zero(self) -> None:
        record = changed("resultatregnskapResultat.driftsresultat.driftsinntekter", {})
        assert reported(record)["revenue"] is None

    @pytest.mark.parametrize(
        ("changes", "field", "value", "derived"),
        [
            ({"resultatregnskapResultat.driftsresultat.driftsinntekter": {"salgsinntekter": 850}}, "revenue", 850, []),
            (
                {"resultatregnskapResultat.driftsresultat.driftsresultat": ...},
                "operating_result",
                100,
                ["operating_result"],
            ),
            ({"egenkapitalGjeld.egenkapital.sumEgenkapital": ...}, "equity", 400, ["equity"]),
            ({"egenkapitalGjeld.egenkapital": {}}, "equity", 400, ["equity"]),
            ({"egenkapitalGjeld.egenkapital": {}, "egenkapitalGjeld.gjeldOversikt": {}}, "equity", None, []),
            ({"eiendeler.sumEiendeler": ...}, "total_assets", 1000, []),
            ({"resultatregnskapResultat.aarsresultat": ...}, "net_result", None, []),
        ],
    )
    def test_fall_backs(self, changes: dict[str, Any], field: str, value: int | None, derived: list[str]) -> None:
        record = RECORD
        for path, new in changes.items():
            record = changed(path, new, record)
        row = reported(record)
        assert row[field] == value
        assert row["derived"] == derived

    @pytest.mark.parametrize(
        ("rules", "small", "standard"),
        [
            ("IFRS", False, "IFRS"),
            ("forenkletAnvendelseIFRS", False, "IFRS-simplified"),
            ("regnskapslovenAlminneligRegler", True, "NGAAP"),
            (None, True, "NGAAP"),
            (None, None, None),
        ],
    )
    def test_accounting_standard(self, rules: str | None, small: bool | None, standard: str | None) -> None:
        record = changed("regnkapsprinsipper", {"regnskapsregler": rules, "smaaForetak": small})
        assert reported(record)["accounting_standard"] == standard

    def test_years_not_ending_in_december_and_other_currencies(self) -> None:
        """Pitfall 15."""
        record = changed("regnskapsperiode", {"fraDato": "2024-07-01", "tilDato": "2025-06-30"}) | {"valuta": "USD"}
        row = reported(record)
        assert (row["period_end"], row["currency"]) == (date(2025, 6, 30), "USD")
