"""Genuine ownership filings beside the project: holder, class, percent or shares, and day as each document has them.

The tables here were written from the documents by hand; all Forms 3, 4 and 5 are read a second time by other means.
"""

import hashlib
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from functools import partial
from io import BytesIO
from pathlib import Path

import pytest

from connectors.declare import Batch, Dataset, NotOurs, Piece, Scope
from connectors.us import UNITED_STATES
from pipelines.folders import days, plan
from tests.connectors.us.holder_files import (
    INSIDERS,
    MANAGERS,
    STAKES,
    Row,
    day,
    holdings,
    reasons,
    rows,
    signals,
)

pytestmark = pytest.mark.sources

NOW = datetime(2026, 11, 21, 8, tzinfo=UTC)
FOLDERS = ("schedule13", "forms345", "form13f")
COMMON_AADI = "Common stock, par value $0.0001 per share"
COMMON_RYTHM = "Common Stock, $0.001 par value per share"
COMMON_AVIS = "Common stock, par value $0.01 per share"
BICYCLE = "Ordinary Shares, nominal value £0.01 per share"
INVITAE = "Common Stock, par value $0.0001 per share"
AVID = "Common Stock, par value $0.001 per share"
LIVENT = "COMMON STOCK, PAR VALUE $0.001 PER SHARE"
BAKERS = ("Baker Bros. Advisors LP", "Baker Bros. Advisors (GP) LLC", "Julian C. Baker", "Felix J. Baker")

# file: (class, day, issuer's CIK or None, [(holder, percent, shares)])
SCHEDULES = {
    "SCHEDULE_13D.aadi_bioscience.xml": (
        COMMON_AADI,
        "2024-12-31",
        "0001422142",
        [("BML Investment Partners, L.P.", "8.5", "2100000"), ("Leonard Braden Michael", "9.9", "2435000")],
    ),
    "SCHEDULE_13DA.rythm.0001213900-26-023065.xml": (
        COMMON_RYTHM,
        "2026-03-01",
        "0001800637",
        [
            (name, "49.99", "13211928")
            for name in (
                "RSLGH, LLC",
                "WELLNESS MGMT, LLC",
                "FOR SUCCESS HOLDING COMPANY",
                "VCP23, LLC",
                "GTI23, INC.",
                "GREEN THUMB INDUSTRIES INC.",
            )
        ],
    ),
    "SCHEDULE_13G.apple_vanguard.0002100119-26-000139.xml": (
        "Common Stock",
        "2026-03-31",
        "0000320193",
        [("Vanguard Capital Management", "7.48", "1099168953")],
    ),
    "SCHEDULE_13G.nested_cusip.xml": (
        COMMON_AVIS,
        "2026-03-31",
        "0000723612",
        [("Pentwater Capital Management LP", "22.2", "7824100"), ("Matthew Halbower", "22.2", "7824100")],
    ),
    "SC_13D.2024_1.htm": (BICYCLE, "2024-12-13", None, [(name, "22.9", "10885357") for name in BAKERS]),
    "SC_13G.document_1.html": (
        LIVENT,
        "2023-12-29",
        None,
        [
            (name, "0", "0")
            for name in (
                "ICS Opportunities, Ltd.",
                "Millennium Management LLC",
                "Millennium Group Management LLC",
                "Israel A. Englander",
            )
        ],
    ),
    "SC_13G.invitae_2021.htm": (
        INVITAE,
        "2020-12-31",
        None,
        [(BAKERS[place], "8.9", "15774095") for place in (0, 1, 3, 2)],
    ),
    "SC_13G.submission.0001076809-24-000144.nc": (
        AVID,
        "2024-12-09",
        "0000704562",
        [("Glazer Capital, LLC", "5.31", "3394114"), ("Paul J. Glazer", "5.31", "3394114")],
    ),
}

# file: owner, class, last day of a transaction, shares on its lines in the end
FORMS = {
    "form4.joint.davita_berkshire.0001193125-26-207021.xml": [
        ("BERKSHIRE HATHAWAY INC", "Common Stock", "2026-05-01", ["28880209"]),
        ("BUFFETT WARREN E", "Common Stock", "2026-05-01", ["28880209"]),
    ],
    "form4.0001104659-26-047678.xml": [
        ("Musk Elon", "Common Stock", "2026-04-21", ["423743904", "413152109"])
    ],
    "form4.0001104659-26-062860.xml": [
        ("Taneja Vaibhav", "Common Stock", "2026-05-13", ["18106.5", "111000"])
    ],
    "form4.promis_neuro_x_codes.xml": [
        (
            "Jeremy M. Sclar 2012 Irrevocable Family Trust",
            "Common Shares, no par value",
            "2025-07-25",
            ["3710459"],
        )
    ],
    "form4.0001140361-26-020871.xml": [("Borders Ben", "Common Stock", "2026-05-08", ["38713"])],
    "form4.0000200406-26-000108.xml": [("WEINBERGER MARK A", None, None, [])],
    "form4.beckton_dickerson_remarks_10b51.xml": [("Feld Michael", "Common Stock", "2025-12-26", ["16506"])],
    "form4.374Water.xml": [
        ("Melkote Rajesh Ramaswamy", "Common Stock (restricted stock units)", "2025-04-30", ["757756"])
    ],
    "form4.0000789019-26-000066.xml": [("Coleman Amy", "Common Stock", "2026-03-16", ["48576.5643"])],
    "form4.submission.0001127602-25-001055.txt": [
        ("Garascia Jessica A.", "Common Stock", "2025-01-10", ["37565"])
    ],
    "form5.snow.xml": [
        ("McMahon John Dennis", "Class A Common Stock", "2021-12-23", ["54666", "151188", "125737"])
    ],
    "form3.nosecurities.xml": [("Hegde Vinayak", None, None, [])],
    "form3.snow.xml": [("GARRETT MARK", None, None, [])],
}

# file: manager, quarter, rows, and one of them: issuer, class, CUSIP, value as reported, dollars, shares
REPORTS = {
    "13F-HR.actiam.0001619124-21-000002.txt": (
        ("ACTIAM N.V.", "2020-12-31", 5),
        ("APPLE INC", "Common stock", "037833100", "230054", "230054000", "1733777"),
    ),
    "13F-HR.metlife.0001140361-23-013281.txt": (
        ("METLIFE INC", "2021-12-31", 6),
        ("ISHARES MSCI CHILE ETF", "COM", "464286640", "2049983", "2049983", "98000"),
    ),
    "13F-HR.submission.0001894188-23-000007.txt": (
        ("LTS One Management LP", "2023-09-30", 14),
        ("MICROSOFT CORP", "COM", "594918104", "20524000", "20524000", "65000"),
    ),
    "13F-HR.brk.2016q3.infotable.trimmed.xml": (
        (None, None, 5),
        ("AMERICAN AIRLS GROUP INC", "COM", "02376R102", "488930", None, "13355099"),
    ),
    "13F-HR.brk.2026q1.infotable.trimmed.xml": (
        (None, None, None),
        ("ALLY FINL INC", "COM", "02005N100", "498992850", None, "12719675"),
    ),
    "13F-HR.infotable.thousands.xml": (
        (None, None, None),
        ("3M CO", "COM", "88579Y101", "409469", None, "2334"),
    ),
    "information_table.sample.xml": (
        (None, None, None),
        ("AT&T INC", "COM", "02079K107", "7454547777", None, "79296"),
    ),
}
COVERS = {
    "13F-HR.brk.2016q3.primary_doc.xml": ("BERKSHIRE HATHAWAY INC", "2016-09-30", 144),
    "13F-HR.primary_doc.metlife.xml": ("METLIFE INC", "2021-12-31", 6),
    "13F-NT.sample.xml": ("BIG FUND TRUST inc", "2021-12-31", None),
}


@pytest.fixture
def files(sources: Path) -> Path:
    return sources / "us"


def read(dataset: Dataset, path: Path) -> list[Batch]:
    assert dataset.redact is not None
    kept = dataset.redact(BytesIO(path.read_bytes())).read()
    sha = hashlib.sha256(kept).hexdigest()
    piece = Piece(
        dataset.key, f"us/{path.parent.name}/{path.name}", sha, NOW, Scope.PART, "b", partial(BytesIO, kept)
    )
    return [batch for part in dataset.split(piece) for batch in dataset.read(part)]


def test_every_file_is_read_or_told_why_not(sources: Path) -> None:
    entries = plan(days(sources)[0], UNITED_STATES, NOW).entries
    found = {entry.name: entry for entry in entries if entry.name.split("/")[1] in FOLDERS}
    assert len(found) == sum(
        path.is_file() for folder in FOLDERS for path in (sources / "us" / folder).rglob("*")
    )
    refused = {
        name.rpartition("/")[2]: entry.reason for name, entry in found.items() if entry.dataset is None
    }
    assert set(refused) == {"form4.1998.header.txt", "13F-HR.infotable.xsl_rendered.html"}
    assert all(refused.values())


@pytest.mark.parametrize("name", SCHEDULES)
def test_schedules_give_holder_class_percent_and_day(files: Path, name: str) -> None:
    title, event, issuer, persons = SCHEDULES[name]
    batches = read(STAKES, files / "schedule13" / name)
    found = rows(batches, "us_schedule13" if issuer else "us_schedule13_bare")
    assert [(row["holder"], row["percent"], row["shares"]) for row in found] == [
        (holder, Decimal(percent), shares) for holder, percent, shares in persons
    ]
    assert {(row["classTitle"], row["eventDate"], row["issuerCik"]) for row in found} == {
        (title, day(event), issuer)
    }
    assert {code for code, _ in signals(batches)} == (set() if issuer else {"no_issuer"})
    told = holdings(batches, company="firm:US:US0000000099")
    assert {row["holder_name"]: row["pct_min"] for row in told} == {
        name: Decimal(part) for name, part, _ in persons
    }
    assert sum(row["pct"] or 0 for row in told) == max(Decimal(part) for _, part, _ in persons)
    assert {row["ended_on"] for row in told} == ({day(event)} if persons[0][1] == "0" else {None})


def test_the_schedules_here_are_all_there_are(files: Path) -> None:
    assert {path.name for path in (files / "schedule13").iterdir()} == set(SCHEDULES)


@pytest.mark.parametrize("name", FORMS)
def test_forms_give_owner_class_shares_and_day(files: Path, name: str) -> None:
    found = rows(read(INSIDERS, files / "forms345" / name), "us_insider")
    for who, title, last, shares in FORMS[name]:
        mine = [row for row in found if row["owner"] == who]
        assert {row["classTitle"] for row in mine} == {title}
        assert max((row["day"] for row in mine if row["day"]), default=None) == (day(last) if last else None)
        ends = {
            (row["isDirect"], row["notes"], None if row["isTransaction"] else row["line"]): row
            for row in mine
        }
        assert [row["shares"] for row in ends.values() if row["shares"]] == shares
    assert {row["owner"] for row in found} == {who for who, *_ in FORMS[name]}


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
    paths = sorted(
        path for path in (files / "forms345").iterdir() if b"<ownershipDocument>" in path.read_bytes()
    )
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
    [reason] = reasons(read(INSIDERS, files / "forms345" / "form4.2000.text.0001094891-00-000193.txt"))
    assert "June 2003" in reason


@pytest.mark.parametrize("name", REPORTS)
def test_reports_give_manager_class_shares_and_quarter(files: Path, name: str) -> None:
    (manager, quarter, count), one = REPORTS[name]
    found = rows(read(MANAGERS, files / "form13f" / name), "us_13f_position")
    assert count is None or len(found) == count
    assert {(row["manager"], row["period"]) for row in found} == {
        (manager, day(quarter) if quarter else None)
    }
    columns = ("issuer", "classTitle", "cusip", "value", "dollars", "shares")
    assert one in [tuple(row[column] for column in columns) for row in found]


@pytest.mark.parametrize("name", COVERS)
def test_covers_give_manager_and_quarter(files: Path, name: str) -> None:
    [row] = rows(read(MANAGERS, files / "form13f" / name), "us_13f_cover")
    assert (row["manager"], row["period"], row["entries"]) == (
        COVERS[name][0],
        day(COVERS[name][1]),
        COVERS[name][2],
    )


def test_the_view_for_people_is_not_ours(files: Path) -> None:
    path = files / "form13f" / "13F-HR.infotable.xsl_rendered.html"
    assert isinstance(MANAGERS.recognise(path.name, path.read_bytes()[:65_536]), NotOurs)


def test_one_cusip_in_two_rows_stays_two_rows(files: Path) -> None:
    found = rows(
        read(MANAGERS, files / "form13f" / "13F-HR.brk.2026q1.infotable.trimmed.xml"), "us_13f_position"
    )
    assert [row["shares"] for row in found if row["cusip"] == "02005N100"] == ["12719675", "2803875"]
