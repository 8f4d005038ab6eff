"""Every genuine British file through the whole job: read, or listed as not ours with the reason (issue «whole»)."""

import json
from collections import Counter
from pathlib import Path

import pytest

from connectors.uk import UNITED_KINGDOM
from pipelines.ingest.run import IngestOverrides, ingest
from pipelines.reporting.report import IngestReport
from pipelines.settings import IngestSettings
from pipelines.sources.source import FolderSource
from tests.without_dagster import without_dagster

pytestmark = [pytest.mark.slow, pytest.mark.sources]
# folders of documents about the data, and what is no data of ours in the others
NOT_DATA = {"download_pages": 5, "enumerations": 10}
READ_WHOLE = {
    "accounts_bulk_zip": 1,
    "accounts_edge_cases": 3,
    "accounts_ixbrl": 140,
    "accounts_ixbrl_full": 11,
    "accounts_xbrl_xml": 120,
    "basic_company_data": 3,
    "fca_nsm": 1,
    "psc_snapshot": 10,
}


@pytest.fixture(scope="module")
def published(sources: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, IngestReport]:
    data = tmp_path_factory.mktemp("kingdom") / "data"
    overrides = IngestOverrides(jurisdictions=(UNITED_KINGDOM,))
    with without_dagster():
        return data, ingest(IngestSettings(data=data, workers=1), ["uk"], FolderSource(sources), overrides=overrides)


def test_the_sources_publish_and_nothing_is_held(published: tuple[Path, IngestReport]) -> None:
    data, report = published
    # of a company in two of the snapshots, the newer one has another industry
    assert (report.release, report.held, report.events) == (1, (), {"company.changed": 1})
    assert json.loads((data / "releases" / "current.json").read_text())["release"] == 1


def test_every_file_is_read_or_says_why_not(sources: Path, published: tuple[Path, IngestReport]) -> None:
    listed = [line.split("\t")[0] for line in (sources / "uk/MANIFEST.tsv").read_text().splitlines()[1:]]
    assert len(listed) == 367
    told = {file.path.removeprefix("uk/"): file for file in published[1].files}
    assert set(listed) <= set(told)
    assert [name for name in listed if not told[name].rows and not told[name].reason] == []
    assert [name for name in listed if told[name].rejected] == []


def test_what_is_data_of_ours_is_read_and_what_is_none_is_named(published: tuple[Path, IngestReport]) -> None:
    folders = [(file.path.split("/")[1], file) for file in published[1].files if file.path.count("/") > 1]
    read = Counter(folder for folder, file in folders if file.rows)
    left = Counter(folder for folder, file in folders if not file.rows)
    assert {folder: read[folder] for folder in READ_WHOLE} == READ_WHOLE
    assert {folder: left[folder] for folder in READ_WHOLE if left[folder]} == {}
    assert {folder: left[folder] for folder in NOT_DATA} == NOT_DATA
    reasons = {file.reason for folder, file in folders if folder in ("rest_api", "streaming") and not file.rows}
    assert None not in reasons
