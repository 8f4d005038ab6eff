"""Every genuine file beside the project: one dataset reads it, or it is listed with the reason why none does."""

from functools import partial
from pathlib import Path

import pytest

from connectors.contract.dataset import ArchiveMember
from connectors.us import UNITED_STATES
from pipelines.sources.folder import FileEntry, list_day_folders, plan_files
from tests.connectors.us.filer_bodies import AT

pytestmark = pytest.mark.sources
LEFT = {  # folder: files that are not read, by their number
    "code_lists": 2,
    "company_list": 2,
    "errors": 2,
    "filing_index": 2,
    "form8k": 18,
    "form13f": 1,
    "forms345": 1,
    "frames": 1,
    "fsds": 4,
    "getcurrent": 1,
    "index": 1,
    "sic": 1,
    "submissions": 2,
    "xbrl": 6,
}
LARGE = {"us.companyfacts", "us.fsds"}  # read by tests of their own
TEXT = "forms345/form4.2000.text.0001094891-00-000193.txt"  # of before XML: a reject that says so
EMPTY = {"index/daily.empty-form.idx", TEXT}


@pytest.fixture(scope="module")
def entries(sources: Path) -> dict[str, FileEntry]:
    (day,) = list_day_folders(sources)
    found = plan_files(day, UNITED_STATES, AT).entries
    return {entry.name.removeprefix("us/"): entry for entry in found if entry.name.count("/") > 1}


def test_every_file_has_a_reader_or_a_reason(entries: dict[str, FileEntry]) -> None:
    left = {name: entry.reason for name, entry in entries.items() if entry.dataset is None}
    assert all(reason and "no dataset reads" not in reason for reason in left.values()), left
    folders = [name.partition("/")[0] for name in left]
    assert {folder: folders.count(folder) for folder in folders} == LEFT
    assert len(entries) > 200


def test_every_file_that_is_read_gives_rows_and_no_reject(entries: dict[str, FileEntry]) -> None:
    datasets = {dataset.key: dataset for dataset in UNITED_STATES.datasets}
    for name, entry in entries.items():
        if entry.dataset is None or entry.dataset in LARGE:
            continue
        dataset = datasets[entry.dataset]
        piece = ArchiveMember(dataset.key, entry.name, "0" * 64, AT, entry.scope, "b", partial(entry.path.open, "rb"))
        found = [batch for part in dataset.split_members(piece) for batch in dataset.read_batches(part)]
        assert any(batch.rows.height for batch in found) is (name not in EMPTY), name
        refused = [row for batch in found for row in batch.rejects.iter_rows()]
        assert (name == TEXT) is bool(refused), (name, refused)
