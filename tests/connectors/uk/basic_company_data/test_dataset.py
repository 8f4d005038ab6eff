"""BasicCompanyData: reading every vintage. Numbers in names: docs/formats/uk.md 13."""

import csv
import io
from datetime import UTC, date, datetime

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from connectors.contract.dataset import NotApplicable, RecognisedFile, Scope, UnreadableFileError
from connectors.uk.basic_company_data import dataset as basic_company_data_dataset
from tests.connectors.uk.conftest import Bench
from tests.tables import check_cases

DATA = basic_company_data_dataset.DATASET
NAME = "BasicCompanyDataAsOneFile-2026-11-01.csv"
BEFORE = datetime(2026, 10, 1, tzinfo=UTC)


@check_cases(
    ("name", "day", "scope"),
    [
        ("BasicCompanyData-2018-11_rows_no_header.csv", date(2018, 11, 1), Scope.PART),
        ("BasicCompanyData-2021-01_sample21.csv", date(2021, 1, 1), Scope.PART),
        ("BasicCompanyData-2022_single_row.csv", date(2022, 1, 1), Scope.PART),
        ("uk/basic_company_data/BasicCompanyData-2026-02-01-part3_7.zip", date(2026, 2, 1), Scope.PART),
        ("BasicCompanyDataAsOneFile-2026-02-01.zip", date(2026, 2, 1), Scope.FULL),
        ("BasicCompanyDataAsOneFile-2026-02-31.zip", None, Scope.FULL),
        ("companies.csv", None, Scope.PART),
    ],
)
def test_the_name_gives_edition_and_scope(name, day, scope):
    at = datetime(day.year, day.month, day.day, tzinfo=UTC) if day else None
    assert DATA.recognise_file(name, b"CompanyName, CompanyNumber") == RecognisedFile(at, scope)


def test_a_note_in_the_folder_is_not_ours():
    assert isinstance(DATA.recognise_file("README.md", b"# Notes"), NotApplicable)


def test_pitfall_01_header_cells_with_leading_blanks(sheet, bench):
    for body in (sheet.table({}), sheet.table({}, stripped=True)):
        row = bench.read(DATA, body, NAME).rows["uk_companies"].row(0, named=True)
        assert (row["CompanyNumber"], row["RegAddress.AddressLine2"]) == ("01234567", None)


@pytest.mark.parametrize("ending", ["\r\n", "\n"])
def test_rows_without_a_header_are_read_by_position(sheet, bench, ending):
    read = bench.read(DATA, sheet.table({}, header=False, ending=ending), NAME)
    assert read.rows["uk_companies"]["CompanyName"].to_list() == ["EXAMPLE LIMITED"]
    assert read.rejects == []


def test_pitfall_02_numbers_stay_text_with_their_zeros(sheet, bench):
    row = bench.read(DATA, sheet.table({"CompanyNumber": "00000006"}), NAME).rows["uk_companies"].row(0, named=True)
    assert row["CompanyNumber"] == "00000006"


@check_cases("name", ['"1 C O LIMITED"', "! LIMITED", "SMITH, JONES & SONS LTD", "A B LTD", "ÉCLAIR LTD"])
def test_pitfall_23_names_with_quotes_marks_commas_and_ampersands(sheet, name):
    bench = Bench()
    assert bench.read(DATA, sheet.table({"CompanyName": name}), NAME).rows["uk_companies"]["CompanyName"].to_list() == [
        name
    ]


@check_cases("ending", ["\r\n", "\n"])
@check_cases(
    ("written", "name"),
    [
        ("THE LONG\nNAME LTD", "THE LONG NAME LTD"),
        ("THE LONG\r\nNAME LTD", "THE LONG NAME LTD"),
        (" BLANK BEFORE LTD", "BLANK BEFORE LTD"),
        ("BLANK BEHIND LTD  ", "BLANK BEHIND LTD"),
        ("A\tTAB LTD", "A TAB LTD"),
        ("TWO  BLANKS LTD", "TWO  BLANKS LTD"),  # the register's own
    ],
)
def test_a_name_over_several_lines_is_one_line_and_its_row_stays(sheet, written, name, ending):
    bench = Bench()
    body = sheet.table({"CompanyName": written}, {"CompanyNumber": "01234568"}, ending=ending)
    read = bench.read(DATA, body, NAME)
    assert read.rows["uk_companies"]["CompanyName"].to_list() == [name, "EXAMPLE LIMITED"]
    assert read.rejects == []


def test_a_return_inside_a_name_and_a_line_feed_alone_do_not_hide_each_other(sheet, bench):
    """As many of the one as of the other, and yet not one pair a line."""
    rows = [{"CompanyName": "A\rB LTD"}, {"CompanyNumber": "01234568"}, {"CompanyNumber": "01234569"}]
    head, first, second, *more = sheet.table(*rows).split(b"\r\n")
    body = b"\r\n".join((head, first, second + b"\n" + b"\r\n".join(more)))
    assert body.count(b"\r") == body.count(b"\n")
    read = bench.read(DATA, body, NAME)
    assert read.rows["uk_companies"]["CompanyName"].to_list() == ["A B LTD", *["EXAMPLE LIMITED"] * 2]
    assert read.rejects == []


@pytest.mark.parametrize("name", ["", "   ", "\u00a0"])
def test_a_row_without_a_name_is_a_reject(sheet, bench, name):
    read = bench.read(DATA, sheet.table({"CompanyName": name}, {"CompanyNumber": "01234568"}), NAME)
    assert read.rows["uk_companies"]["CompanyNumber"].to_list() == ["01234568"]
    assert [why for _, why, _ in read.rejects] == ["CompanyName is empty"]


def test_empty_cells_of_every_column_but_name_and_number_cost_no_row(sheet, bench):
    empty = dict.fromkeys(set(basic_company_data_dataset.COLUMNS) - {"CompanyName", "CompanyNumber"}, "")
    found = bench.company(empty)
    assert (found["name"], found["legal_form_code"], found["status_source"]) == ("EXAMPLE LIMITED", None, None)


@check_cases(
    ("cell", "parts", "signals"),
    [
        ("62020 - Consultancy - IT", ("62020", "Consultancy - IT", "UKSIC2007"), set()),
        (" 62020 -  Consultancy ", ("62020", "Consultancy", "UKSIC2007"), set()),
        ("99999", ("99999", "Dormant Company", "UKSIC2007"), set()),
        ("7499 - Non-trading company", ("7499", "Non-trading company", "UKSIC2003"), set()),
        ("None Supplied", (None, None, None), set()),
        ("NONE SUPPLIED ", (None, None, None), set()),
        # a spreadsheet took the zero, and the words say which code it was; 1110 alone is one of the older list
        ("1120 - Growing of rice", ("01120", "Growing of rice", "UKSIC2007"), set()),
        ("7100 - MINING OF IRON ORES", ("07100", "MINING OF IRON ORES", "UKSIC2007"), {"unknown_industry_code"}),
        ("1110", ("1110", "Extraction petroleum & natural gas", "UKSIC2003"), set()),
        # a code of no list is of no known classification, whatever its length
        ("12345 - Alchemy", ("12345", "Alchemy", None), {"unknown_industry_code"}),
        ("1234 - Alchemy", ("1234", "Alchemy", None), {"unknown_industry_code"}),
        ("alchemy", (None, None, None), {"unknown_industry_code"}),
    ],
)
def test_pitfall_21_cells_of_industry_codes(sheet, cell, parts, signals):
    bench = Bench()
    read = bench.upsert(DATA, sheet.table({"SICCode.SicText_1": cell}), NAME)
    row = bench.normalise()["companies"].row(0, named=True)
    assert (row["industry_code"], row["industry_label"], row["industry_scheme"]) == parts
    assert {signal.code for signal in read.signals} == signals


def test_former_names_are_found_in_whatever_places_they_stand(sheet, bench):
    told = {"PreviousName_2.CompanyName": "FIRST LTD", "PreviousName_2.CONDATE": "01/02/1990"}
    told |= {"PreviousName_10.CompanyName": "SECOND LTD", "PreviousName_10.CONDATE": "01/02/2000"}
    assert bench.company(told)["previous_names"] == ["SECOND LTD", "FIRST LTD"]


def test_bare_and_quoted_empty_cells_are_both_null(sheet, bench):
    quoted = bench.read(DATA, sheet.table({}), NAME).rows["uk_companies"]
    bare = bench.read(DATA, sheet.table({}).replace(b'""', b""), NAME).rows["uk_companies"]
    assert quoted.equals(bare)
    assert quoted["RegAddress.County"].to_list() == [None]


def test_a_zip_is_read_by_its_csv(sheet, bench):
    assert len(bench.read(DATA, sheet.zipped(sheet.table({})), NAME).rows["uk_companies"]) == 1


def test_latin_1_names_are_read_with_a_signal(sheet, bench):
    read = bench.read(DATA, sheet.table({"CompanyName": "CAFÉ LTD"}).replace("É".encode(), b"\xc9"), NAME)
    assert read.rows["uk_companies"]["CompanyName"].to_list() == ["CAFÉ LTD"]
    assert read.signalled("encoding_fallback")


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"<!DOCTYPE html><html>busy</html>", "html"),
        (b"", "first line"),
        (b"CompanyName,Other\r\nA,B\r\n", "CompanyNumber"),
        (b"a,b,c\r\n", "55"),
    ],
)
def test_what_is_no_table_is_unreadable_and_says_why(bench, body, said):
    with pytest.raises(UnreadableFileError, match=said) as refused:
        bench.read(DATA, body, NAME)
    assert (refused.value.dataset, refused.value.name) == ("uk.companies", NAME)


def test_a_broken_zip_and_one_without_a_csv_are_unreadable(bench, sheet):
    with pytest.raises(UnreadableFileError, match="truncated or damaged zip"):
        bench.read(DATA, sheet.zipped(sheet.table({}))[:-30], NAME)
    with pytest.raises(UnreadableFileError, match="without a csv"):
        bench.read(DATA, sheet.zipped(b"nothing", "README.pdf"), NAME)


def test_a_shifted_row_is_a_reject_with_its_line_and_the_others_stay(sheet, bench):
    body = sheet.table({}, {"CompanyNumber": "01234568"}, {"CompanyNumber": "01234569"})
    shifted = body.replace(b'"EXAMPLE LIMITED","01234568"', b'"EXAMPLE","LIMITED","01234568"')
    read = bench.read(DATA, shifted, NAME)
    assert read.rows["uk_companies"]["CompanyNumber"].to_list() == ["01234567", "01234569"]
    assert [record for record, _, _ in read.rejects] == ["line 3"]


def test_a_row_cut_off_at_the_end_is_a_reject(sheet, bench):
    read = bench.read(DATA, sheet.table({}, {"CompanyNumber": "01234568"})[:-90], NAME)
    assert len(read.rows["uk_companies"]) == 1
    assert len(read.rejects) == 1


@pytest.mark.parametrize("number", ["", "1234", "0123456789", "0123 567"])
def test_a_row_without_a_company_number_is_a_reject(sheet, bench, number):
    read = bench.read(DATA, sheet.table({}, {"CompanyNumber": number}), NAME)
    assert len(read.rows["uk_companies"]) == 1
    assert "CompanyNumber" in read.rejects[0][1]


def test_a_new_column_is_counted_and_kept_out(sheet, bench):
    lines = sheet.table({}).split(b"\r\n")
    body = b"\r\n".join([lines[0] + b",Region", lines[1] + b',"North"', b""])
    read = bench.read(DATA, body, NAME)
    assert read.signalled("unknown_column") == {"Region": (1, ())}
    assert len(read.rows["uk_companies"]) == 1


@given(cut=st.integers(0, 3000), at=st.integers(0, 3000), byte=st.integers(0, 255), packed=st.booleans())
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_damaged_bytes_are_rows_rejects_or_unreadable_and_nothing_else(sheet, bench, cut, at, byte, packed):
    body = bytearray(sheet.table({}, {"CompanyName": '"A" LTD'}))
    body = bytearray(sheet.zipped(bytes(body))) if packed else body
    if at < len(body):
        body[at] = byte
    try:
        bench.read(DATA, bytes(body[:cut]), NAME)
    except UnreadableFileError:
        return


def test_every_genuine_row_is_a_staged_row(bench, sources):
    for file in sorted((sources / "uk" / "basic_company_data").iterdir()):
        body = file.read_bytes()
        rows = list(csv.reader(io.StringIO(body.decode())))
        due = len(rows) if "no_header" in file.name else len(rows) - 1
        read = bench.read(DATA, body, file.name)
        assert len(read.rows["uk_companies"]) + len(read.rejects) == due
        assert read.rejects == []
        assert read.signals == []
        assert read.rows["uk_companies"].rows() == [
            tuple(cell or None for cell in row) for row in (rows if due == len(rows) else rows[1:])
        ]


def test_a_company_of_two_vintages_has_both_rows(bench, sources):
    folder = sources / "uk" / "basic_company_data"
    seen = []
    for name in ("BasicCompanyData-2018-11_rows_no_header.csv", "BasicCompanyData-2021-01_sample21.csv"):
        edition = DATA.recognise_file(name, b"")
        assert isinstance(edition, RecognisedFile)
        assert edition.observed_at is not None
        bench.upsert(DATA, (folder / name).read_bytes(), name, edition.observed_at)
        rows = bench.normalise()["companies"]
        seen.append(rows.row(by_predicate=pl.col("company_id") == "firm:UK:SC606050", named=True))
    first, second = seen
    assert (first["industry_code"], second["industry_code"]) == ("41100", "68209")
    assert first["registered_date"] == second["registered_date"] == date(2018, 8, 22)
    changed = {name for name in first if first[name] != second[name]}
    assert changed == {"industry_code", "industry_label", "sources", "observed_at"}
    assert (first["status"], second["status"]) == ("active", "active")


def test_cells_of_blanks_alone_are_empty_and_no_town_of_that_name(sheet, bench):
    row = {"RegAddress.PostTown": "  ", "RegAddress.County": "\u00a0", "RegAddress.AddressLine1": " 1 HIGH STREET"}
    company = bench.company({**row, "PreviousName_1.CompanyName": " "})
    assert (company["municipality"], company["post_town"], company["county"]) == (None, None, None)
    assert (company["address_lines"], company["previous_names"]) == (["1 HIGH STREET"], [])


def test_a_placeholder_for_a_day_is_none_and_is_signalled(sheet, bench):
    read = bench.upsert(DATA, sheet.table({"IncorporationDate": "01/01/0001"}), NAME)
    assert read.signalled("bad_date") == {"IncorporationDate": (1, ("01234567",))}
    assert bench.normalise()["companies"]["registered_date"].to_list() == [None]


def test_a_former_name_of_the_far_future_says_not_since_when_the_present_one_is_borne(bench):
    former = {"PreviousName_1.CompanyName": "OLD", "PreviousName_1.CONDATE": "31/12/9999"}
    dated = {"PreviousName_2.CompanyName": "OLDER", "PreviousName_2.CONDATE": "01/02/2019"}
    company = bench.company({**former, **dated})
    assert company["previous_names"] == ["OLDER", "OLD"]
    assert company["field_origins"] == '{"name":{"date":"2019-02-01"}}'


def test_a_number_with_several_rows_is_signalled_and_the_last_one_counts(sheet, bench):
    read = bench.upsert(DATA, sheet.table({"CompanyName": "A LIMITED"}, {"CompanyName": "B LIMITED"}), NAME)
    assert read.signalled("repeated_number") == {"CompanyNumber": (1, (NAME,))}
    assert bench.normalise()["companies"]["name"].to_list() == ["B LIMITED"]
