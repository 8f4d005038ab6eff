"""The bulk CSV of no.enheter: columns, types, rejects."""

import gzip
from datetime import date

import pytest

from connectors.contract.dataset import UnreadableFileError
from connectors.no.enheter.schema import IGNORED, MANDATORY
from tests.connectors.no.entity_files import DNB, EQUINOR, NUF, ROW, csv_of, read, sheet


class TestCsv:
    def test_a_row_is_read_in_the_registers_own_names(self) -> None:
        row = csv_of().one
        assert row["organisasjonsnummer"] == EQUINOR
        assert row["registreringsdatoEnhetsregisteret"] == date(1995, 3, 12)
        assert row["antallAnsatte"] == 12
        assert row["harRegistrertAntallAnsatte"] is True
        assert row["konkurs"] is False
        assert row["konkursdato"] is None

    def test_address_lines_are_separated_by_slash_n(self) -> None:
        """Pitfall 8: the two literal characters /n."""
        assert csv_of().one["forretningsadresse.adresse"] == "c/o Noen AS\nGate 1"

    def test_column_names_are_matched_in_any_case(self) -> None:
        """Pitfall 8: the CSV writes registreringsdatoenhetsregisteret, the JSON registreringsdatoEnhetsregisteret."""
        row = read(sheet({name.upper(): value for name, value in ROW.items()})).one
        assert row["registreringsdatoEnhetsregisteret"] == date(1995, 3, 12)

    def test_the_order_of_columns_does_not_matter(self) -> None:
        assert read(sheet(dict(reversed(ROW.items())))).one == csv_of().one

    def test_an_unknown_column_is_counted_and_the_row_kept(self) -> None:
        found = csv_of(nyttFelt="x")
        assert found.one["navn"] == "EKSEMPEL ASA"
        assert found.signals["unknown_column", "nyttFelt"] == 1

    def test_known_columns_are_no_drift(self) -> None:
        found = read(sheet(ROW | dict.fromkeys(set(IGNORED) - set(ROW), "")))
        assert not [subject for code, subject in found.signals if code == "unknown_column"]

    @pytest.mark.parametrize("name", MANDATORY)
    def test_a_missing_mandatory_column_makes_the_file_unreadable(self, name: str) -> None:
        row = {key: value for key, value in ROW.items() if key.casefold() != name.casefold()}
        with pytest.raises(UnreadableFileError, match=name):
            read(sheet(row))

    def test_gzip_is_recognised_by_its_bytes(self) -> None:
        assert read(gzip.compress(sheet(ROW)), "enheter.csv").one == csv_of().one

    def test_a_byte_order_mark_is_no_part_of_the_first_name(self) -> None:
        assert read(b"\xef\xbb\xbf" + sheet(ROW)).one == csv_of().one

    def test_quotes_commas_and_line_ends_inside_fields(self) -> None:
        name = 'FIRMA "A", B\nOG C AS'
        assert csv_of(navn=name).one["navn"] == name

    def test_blanks_around_what_people_wrote_are_cut(self) -> None:
        row = csv_of(navn="  NAVN AS ", **{"forretningsadresse.kommune": " "}).one
        assert (row["navn"], row["forretningsadresse.kommune"]) == ("NAVN AS", None)

    def test_the_edition_of_industry_codes_is_told_by_the_columns(self) -> None:
        """Pitfall 9: no record names the edition; erIKonsern came with SN2025."""
        assert csv_of().one["naeringskodeverk"] == "SN2007"
        assert csv_of(erIKonsern="false").one["naeringskodeverk"] == "SN2025"

    def test_an_unreadable_date_is_null_and_a_signal(self) -> None:
        found = csv_of(konkurs="true", konkursdato="i fjor")
        assert found.one["konkursdato"] is None
        assert found.signals["unreadable_value", "konkursdato"] == 1
        assert found.examples >= {EQUINOR}

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("forretningsadresse.kommunenummer", "301"),  # 30 was Viken, 03 is Oslo
            ("forretningsadresse.postnummer", "151"),
            ("naeringskode1.kode", "1.110"),
            ("antallAnsatte", "-3"),
            ("registreringsdatoenhetsregisteret", "0001-01-01"),
            ("registreringsdatoenhetsregisteret", "9999-12-31"),
        ],
    )
    def test_a_value_that_lost_its_zero_or_cannot_be_is_null_and_a_signal(self, name: str, value: str) -> None:
        found = csv_of(**{name: value})
        column = "registreringsdatoEnhetsregisteret" if name.startswith("registreringsdato") else name
        assert found.one[column] is None
        assert found.signals["unreadable_value", column] == 1

    def test_employees_beside_none_registered_are_a_signal(self) -> None:
        found = csv_of(harRegistrertAntallAnsatte="false", antallAnsatte="12")
        assert found.signals["contradicting_employees", "antallAnsatte"] == 1
        assert ("contradicting_employees", "antallAnsatte") not in csv_of(antallAnsatte="0").signals

    @pytest.mark.parametrize("flag", ["konkurs", "underAvvikling", "underTvangsavviklingEllerTvangsopplosning"])
    def test_a_flag_that_is_not_stated_is_a_signal(self, flag: str) -> None:
        assert csv_of(**{flag: ""}).signals["missing_flag", flag] == 1


class TestRejects:
    @pytest.mark.parametrize(
        ("form", "word"),
        [("KBO", "bankruptcy estate"), ("UTLA", "foreign"), ("BEDR", "sub-unit"), ("AAFY", "sub-unit")],
    )
    def test_records_that_are_no_companies_are_listed(self, form: str, word: str) -> None:
        found = csv_of(**{"organisasjonsform.kode": form})
        assert found.rows == []
        ((record, reason),) = found.rejects
        assert record == EQUINOR
        assert reason.startswith("not a company")
        assert word in reason

    @pytest.mark.parametrize("number", ["12345678", "9236090160", "92360901X", "", "923 609 016"])
    def test_a_malformed_number_is_a_reject(self, number: str) -> None:
        found = csv_of(organisasjonsnummer=number)
        assert found.rows == []
        assert len(found.rejects) == 1

    def test_a_wrong_check_digit_is_kept_and_told(self) -> None:
        found = csv_of(organisasjonsnummer="923609017")
        assert found.one["organisasjonsnummer"] == "923609017"
        assert found.signals["wrong_check_digit", "organisasjonsnummer"] == 1

    def test_a_row_without_a_name_is_a_reject(self) -> None:
        assert csv_of(navn="").rejects == [(EQUINOR, "no name")]

    def test_a_number_that_stands_twice_is_read_once(self) -> None:
        found = read(sheet(ROW, ROW | {"navn": "IGJEN AS"}))
        assert found.one["navn"] == "EKSEMPEL ASA"
        assert found.rejects == [(EQUINOR, "number repeated in this file")]

    def test_a_shifted_row_is_a_reject_with_its_line(self) -> None:
        body = (
            sheet(ROW)
            + b'"'
            + DNB.encode()
            + b'","UT AV LINJE AS"\n'
            + sheet(ROW | {"organisasjonsnummer": NUF}).split(b"\n", 1)[1]
        )
        found = read(body)
        assert [row["organisasjonsnummer"] for row in found.rows] == [EQUINOR, NUF]
        ((record, reason),) = found.rejects
        assert record == "line 3"
        assert "fields" in reason

    def test_an_unknown_legal_form_is_kept_and_told(self) -> None:
        found = csv_of(**{"organisasjonsform.kode": "XYZ"})
        assert found.one["organisasjonsform.kode"] == "XYZ"
        assert found.signals["unknown_legal_form", "XYZ"] == 1

    def test_an_unknown_county_is_told(self) -> None:
        found = csv_of(**{"forretningsadresse.kommunenummer": "9901"})
        assert found.signals["unknown_county", "99"] == 1
