"""Denmark is announced: nothing is read, and whoever asks for it is told so."""

from pathlib import Path

import pytest

from connectors import JURISDICTIONS
from connectors.dk import DENMARK
from pipelines.ingest.run import IngestOverrides, MarketNotServedError, ingest
from pipelines.settings import IngestSettings
from pipelines.sources.source import FolderSource
from warehouse.schema import identifiers


class Asked:
    """An origin that asks registries: nobody may get so far."""

    supports_lookups = True

    def sub_sources(self) -> list[object]:
        raise AssertionError

    def open(self, at: object) -> object:
        raise AssertionError


def test_it_is_declared_and_has_nothing_to_read() -> None:
    assert DENMARK in JURISDICTIONS
    assert (DENMARK.code, DENMARK.state, DENMARK.datasets) == ("DK", "announced", ())


def test_a_danish_number_is_known_by_its_full_id_alone() -> None:
    found = identifiers.parse_company_number("firm:DK:24256790")
    assert found is not None
    assert (found.company_id, found.has_valid_check_digit) == ("firm:DK:24256790", True)
    bare = identifiers.parse_company_number("24256790")
    assert bare is not None
    assert bare.market == "UK"


def test_every_genuine_file_is_listed_with_the_reason(sources: Path, tmp_path: Path) -> None:
    report = ingest(IngestSettings(data=tmp_path), ["dk"], FolderSource(sources), overrides=IngestOverrides())
    assert (report.exit_code, report.release, report.datasets, report.errors) == (0, None, (), ())
    files = [path for path in (sources / "dk").rglob("*") if path.is_file()]
    assert len(report.files) == len(files) > 5
    assert {file.reason for file in report.files} == {"the market is announced, not served yet: its files are not read"}


def test_its_register_is_not_asked(tmp_path: Path) -> None:
    origin: object = Asked()
    with pytest.raises(MarketNotServedError, match="DK is announced, not served yet"):
        ingest(IngestSettings(data=tmp_path), ["dk"], origin)  # type: ignore[arg-type]
