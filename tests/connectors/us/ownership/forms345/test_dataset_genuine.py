"""Genuine Forms 3, 4 and 5 beside the project: owner, class, shares and day as each document has them.

All of them are read a second time by other means, line by line.
"""

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest

from tests.connectors.us.genuine_holders import FORMS
from tests.connectors.us.genuine_reading import read
from tests.connectors.us.holder_files import INSIDERS, Row, day, reasons, rows, signals
from tests.tables import check_cases

pytestmark = pytest.mark.sources


@pytest.fixture
def files(sources: Path) -> Path:
    return sources / "us" / "forms345"


@check_cases("name", FORMS)
def test_forms_give_owner_class_shares_and_day(files: Path, name: str) -> None:
    owners, period, classes = FORMS[name]
    found = rows(read(INSIDERS, files / name), "us_insider")
    assert ", ".join(dict.fromkeys(row["owner"] for row in found)) == owners
    assert {row["period"] for row in found} == {day(period)}
    first = [row for row in found if row["isLead"] and row["classTitle"]]
    assert [row["owner"] for row in found if not row["isLead"]] == owners.split(", ", 1)[1:] * len(first)
    ways = {
        (row["classTitle"], row["nature"], row["notes"], None if row["isTransaction"] else row["line"]): row
        for row in first
    }
    shares = {
        title: " ".join(row["shares"] for key, row in ways.items() if key[0] == title)
        for title in dict.fromkeys(row["classTitle"] for row in first)
    }
    assert shares == classes


def test_the_forms_here_are_all_there_are(files: Path) -> None:
    read_as_text = {"form4.1998.header.txt", "form4.2000.text.0001094891-00-000193.txt"}
    assert {path.name for path in files.iterdir()} == FORMS.keys() | read_as_text


def lines_of(path: Path) -> Iterator[tuple[str | None, ...]]:
    """Class, day, shares and way of every line, by another reader."""
    text = path.read_bytes().decode()
    text = text[text.index("<ownershipDocument>") : text.index("</ownershipDocument>") + 20]
    root = ET.fromstring(text)
    names = [owner.findtext("reportingOwnerId/rptOwnerName") for owner in root.findall("reportingOwner")]
    for name in names:
        for table in root.findall("nonDerivativeTable"):
            for line in table:
                yield (
                    re.sub(r"\s+", " ", name or "").strip(),
                    re.sub(r"\s+", " ", line.findtext("securityTitle/value") or "").strip(),
                    line.findtext("transactionDate/value"),
                    line.findtext("postTransactionAmounts/sharesOwnedFollowingTransaction/value"),
                    line.findtext("ownershipNature/directOrIndirectOwnership/value"),
                )


def told(row: Row) -> tuple[str | None, ...]:
    on = row["day"].isoformat() if row["day"] else None
    return row["owner"], row["classTitle"], on, row["shares"], {True: "D", False: "I"}[row["isDirect"]]


def test_every_line_of_every_form_is_read_as_it_stands(files: Path) -> None:
    paths = sorted(path for path in files.iterdir() if b"<ownershipDocument>" in path.read_bytes())
    assert len(paths) == 64
    for path in paths:
        batches = read(INSIDERS, path)
        found = [told(row) for row in rows(batches, "us_insider") if row["classTitle"]]
        due = list(lines_of(path))
        assert [(*row[:3], Decimal(row[3] or -1), row[4]) for row in found] == [
            (*row[:3], Decimal(row[3] or -1), row[4]) for row in due
        ], path.name
        assert not signals(batches), path.name


def test_a_form_in_text_is_refused_by_name(files: Path) -> None:
    [reason] = reasons(read(INSIDERS, files / "form4.2000.text.0001094891-00-000193.txt"))
    assert "June 2003" in reason
