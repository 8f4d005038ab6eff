"""Genuine files beside the project: groups, announcements, and that every file is read or said not to be ours."""

import json
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from connectors.no import NORWAY
from pipelines.sources.folder import list_day_folders, plan_files
from tests.connectors.no.market_files import read, rejects, rows, signals

pytestmark = pytest.mark.sources
DOCUMENTS = {"FORMAT.md", "MANIFEST.tsv"}


def test_every_file_is_read_or_not_ours_for_a_reason(sources: Path) -> None:
    (day,) = list_day_folders(sources)
    entries = plan_files(day, NORWAY, datetime(2026, 11, 21, tzinfo=UTC)).entries
    assert len(entries) > 40
    for entry in entries:
        if entry.path.name not in DOCUMENTS:
            assert entry.dataset is not None or "no dataset" not in str(entry.reason), entry.name


def test_a_group_of_the_register(sources: Path) -> None:
    path = sources / "no" / "konsernstruktur" / "konsernstruktur-982463718-trimmed.json"
    batches = read("no.konsern", path.read_bytes(), path.name)
    found = {row["organisasjonsnummer"]: json.loads(row["kanter"]) for row in rows(batches, "no_konsern")}
    assert {edge["overordnet"]: edge["prosent"] for edge in found["990440212"]} == {
        "976967631": "33.33",
        "982463718": None,
    }
    assert found["982463718"] == []
    assert (signals(batches), rejects(batches)) == ({}, [])
    assert rows(batches, "no_konsern_svar") == [{"organisasjonsnummer": "982463718", "rot": "982463718"}]


def test_lists_messages_and_issuers(sources: Path) -> None:
    folder = sources / "no" / "newsweb"
    for path in sorted(folder.glob("*.json")):
        batches = read("no.newsweb", path.read_bytes(), path.name)
        assert (signals(batches), rejects(batches)) == ({}, []), path.name
    listed = rows(read("no.newsweb", (folder / "list-issuer-EQNR.json").read_bytes(), "x"), "no_newsweb")
    assert {row["issuerSign"] for row in listed} == {"EQNR"}
    assert len(listed) == 8
    (text,) = rows(read("no.newsweb", (folder / "message-614113.json").read_bytes(), "x"), "no_newsweb_tekst")
    assert (text["period_start"], text["period_end"], text["period_is_dated"]) == (
        date(2023, 1, 1),
        date(2023, 12, 31),
        True,
    )


def test_announcements_of_a_summer(sources: Path) -> None:
    body = (sources / "no" / "newsweb_notices" / "notices.jsonl").read_bytes()
    batches = read("no.newsweb", body, "notices.jsonl")
    messages = rows(batches, "no_newsweb")
    notices = [json.loads(text) for text in body.splitlines()]
    assert len(messages) == len(notices)
    flags = {row["messageId"]: row for row in rows(batches, "no_newsweb_flagging")}
    flagged = {str(notice["messageId"]) for notice in notices if "FLAGGING" in notice["categories"]}
    assert flags.keys() <= flagged
    assert signals(batches)["flagging_not_read", "text"] == len(flagged) - len(flags) <= 1
    assert flags["675867"]["organisasjonsnummer"] == "981953134"  # the form prints it
    assert (flags["679241"]["votes_pct"], flags["679241"]["total_votes"]) == (Decimal("7.46"), 138_387_333)
    reports = rows(batches, "no_newsweb_tekst")
    unstated = [row for row in reports if row["period_end"] is None]
    assert len(unstated) <= len(reports) // 4
    for row in reports:
        assert row["period_end"] is None or row["period_start"] < row["period_end"]
