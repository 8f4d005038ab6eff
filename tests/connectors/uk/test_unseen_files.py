"""Files of Companies House as others hand them on: zeros dropped by spreadsheets, packed lines, deeper folders."""

import gzip
import json

import pytest

from connectors.contract.dataset import RecognisedFile
from connectors.uk import UNITED_KINGDOM
from connectors.uk.accounts import dataset as accounts_dataset
from connectors.uk.basic_company_data import dataset as basic_company_data_dataset
from connectors.uk.psc import dataset as psc_dataset
from pipelines.sources.folder import list_day_folders, plan_files
from tests.connectors.uk.conftest import AT, Bench
from tests.tables import check_cases

NAME = "BasicCompanyData-2025-11-01-part3_7.csv"
INLINE = b'<html xmlns:ix="http://www.xbrl.org/2013/inlineXBRL"></html>'


@pytest.mark.parametrize(
    ("written", "number"), [("234567", "00234567"), ("sc001234", "SC001234"), (" SC1234 ", "SC001234")]
)
def test_a_number_without_its_zeros_is_the_registers(sheet, bench, written, number):
    read = bench.read(basic_company_data_dataset.DATASET, sheet.table({}, {"CompanyNumber": written}), NAME)
    assert read.rows["uk_companies"]["CompanyNumber"].to_list() == ["01234567", number]
    assert read.rejects == []
    assert read.signalled("short_number")["CompanyNumber"][0] == 1


@check_cases("written", ["30", "1234", "US1234", "AB1", "62020 - x"])
def test_what_is_more_likely_another_column_is_a_reject(sheet, written):
    bench = Bench()
    read = bench.read(basic_company_data_dataset.DATASET, sheet.table({}, {"CompanyNumber": written}), NAME)
    assert read.rows["uk_companies"]["CompanyNumber"].to_list() == ["01234567"]
    assert len(read.rejects) == 1
    assert "CompanyNumber" in read.rejects[0][1]


def test_packed_psc_lines_are_recognised_and_leave_no_private_facts(make, bench):
    record = make.record(date_of_birth={"month": 7, "year": 1981}, address={"address_line_1": "Secret Road"})
    body = gzip.compress(make.lines(record))
    assert isinstance(psc_dataset.recognise_file("psc_snapshot/lines.txt.gz", body), RecognisedFile)
    read = bench.read(psc_dataset.DATASET, body, "psc_snapshot/lines.txt.gz")
    assert read.rows["uk_psc"]["name"].to_list() == ["Mrs Ann Example"]
    assert "1981" not in str(read.rows)


def test_a_list_answer_without_its_own_links_is_told_by_its_items(make):
    body = json.dumps({"total_results": 1, "items": [make.record()["data"]]}).encode()
    assert isinstance(psc_dataset.recognise_file("rest_api/list.json", body), RecognisedFile)


@check_cases(
    ("dataset", "file"),
    [
        (accounts_dataset.DATASET, "accounts_ixbrl/2025/03/any.html"),
        (accounts_dataset.DATASET, "2026/Accounts_Monthly_Data-March2026.zip"),
        (accounts_dataset.DATASET, "Prod223_4000_01234567_20251231.html"),
        (basic_company_data_dataset.DATASET, "basic_company_data/2025/BasicCompanyData-2025-11-01-part3_7.zip"),
        (basic_company_data_dataset.DATASET, "BasicCompanyDataAsOneFile-2025-11-01.zip"),
        (psc_dataset.DATASET, "psc_snapshot/2026/11/psc-snapshot-2026-11-20_1of32.zip"),
        (psc_dataset.DATASET, "persons-with-significant-control-snapshot-2026-11-20.zip"),
    ],
)
def test_files_are_found_wherever_in_the_folder_they_stand(dataset, file, tmp_path):
    path = tmp_path / "uk" / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(INLINE if file.endswith(".html") else b"")
    (day,) = list_day_folders(tmp_path)
    read_by = {entry.name: entry.dataset for entry in plan_files(day, UNITED_KINGDOM, AT).entries}
    assert read_by[f"uk/{file}"] == dataset.key
