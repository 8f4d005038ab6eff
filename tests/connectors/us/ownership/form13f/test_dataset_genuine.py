"""Genuine Forms 13F beside the project: manager, class, shares and quarter as each document has them."""

from pathlib import Path

import pytest

from connectors.contract.dataset import NotApplicable
from tests.connectors.us.genuine_holders import COVERS, REPORTS
from tests.connectors.us.genuine_reading import read
from tests.connectors.us.holder_files import MANAGERS, day, rows
from tests.tables import check_cases

pytestmark = pytest.mark.sources
VIEW = "13F-HR.infotable.xsl_rendered.html"


@pytest.fixture
def files(sources: Path) -> Path:
    return sources / "us" / "form13f"


def test_the_reports_here_are_all_there_are(files: Path) -> None:
    assert {path.name for path in files.iterdir()} == REPORTS.keys() | COVERS.keys() | {VIEW}


@check_cases("name", REPORTS)
def test_reports_give_manager_class_shares_and_quarter(files: Path, name: str) -> None:
    (manager, quarter, count), one = REPORTS[name]
    found = rows(read(MANAGERS, files / name), "us_13f_position")
    assert count is None or len(found) == count
    assert {(row["manager"], row["period"]) for row in found} == {(manager, day(quarter) if quarter else None)}
    columns = ("issuer", "classTitle", "cusip", "value", "dollars", "shares")
    assert one in [tuple(row[column] for column in columns) for row in found]


@pytest.mark.parametrize("name", COVERS)
def test_covers_give_manager_and_quarter(files: Path, name: str) -> None:
    [row] = rows(read(MANAGERS, files / name), "us_13f_cover")
    assert (row["manager"], row["period"], row["entries"]) == (COVERS[name][0], day(COVERS[name][1]), COVERS[name][2])


def test_the_view_for_people_is_not_ours(files: Path) -> None:
    path = files / VIEW
    assert isinstance(MANAGERS.recognise_file(path.name, path.read_bytes()[:65_536]), NotApplicable)


def test_one_cusip_in_two_rows_stays_two_rows(files: Path) -> None:
    found = rows(read(MANAGERS, files / "13F-HR.brk.2026q1.infotable.trimmed.xml"), "us_13f_position")
    assert [row["shares"] for row in found if row["cusip"] == "02005N100"] == ["12719675", "2803875"]
