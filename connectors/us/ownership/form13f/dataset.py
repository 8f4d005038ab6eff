"""Dataset us.form13f: quarterly positions of institutional managers, Form 13F (docs/formats/us.md 7.4).

Belongs here: the declaration, recognising files, and which documents of a filing are read. The table's file
name is up to the manager, so it is recognised by its root element. Does not belong here: parsing
(`parse`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta
from decimal import Decimal
from functools import partial
from typing import Any, Final

from connectors.contract.dataset import Cadence
from connectors.contract.pieces import ArchiveMember, Batch, NotApplicable, RecognisedFile
from connectors.kit import staging
from connectors.kit.staging import SignalCounter
from connectors.us.feeds.pending_filings import MANAGERS, filing_subjects
from connectors.us.ownership import files
from connectors.us.ownership.dataset import ownership_dataset
from connectors.us.ownership.form13f import parse
from connectors.us.ownership.form13f.schema import COVERS, CUSIP, KEY, LINE, POSITIONS, STAGED
from connectors.us.ownership.holder_types import accession_order

_FORM: Final = re.compile(r"13F-(?:HR|NT)(?:/A)?")
_MARK: Final = re.compile(rb"edgar/thirteenffiler|thirteenf/informationtable", re.IGNORECASE)
_TABLE: Final = re.compile(rb"<(?:[\w-]+:)?informationTable[\s>]")
_REACH: Final = 4_096
_EARLY: Final = timedelta(days=7)  # of our own choosing: between a report and the end of its quarter, at most
_OF_COVER: Final = ("accession", "form", "filedOn", "managerCik", "manager", "period", "amendment", "place")

Row = dict[str, Any]


def recognise_file(_name: str, head: bytes) -> RecognisedFile | NotApplicable:
    """Recognises a filing, its cover or its table."""
    return files.recognise_form(head, _FORM, _MARK, "Form 13F")


def read_batches(member: ArchiveMember) -> Iterator[Batch]:
    """Batches of the cover and the positions of one report, as far as the file holds them."""
    batch = staging.BatchBuilder(member.dataset)
    tally = batch.tally
    file = files.open_file(member)
    told, filing = file.origin(), file.submission
    xml = [document.body for document in file.documents if document.is_xml]
    tables = list(dict.fromkeys(body for body in xml if _TABLE.search(body[:_REACH])))  # one attached twice is one
    covers = [body for body in xml if not _TABLE.search(body[:_REACH])]
    cover = parse.parse_cover(member, covers[0], tally) | told if covers else None
    latest = (told["filedOn"] or member.observed_at.date()) + _EARLY
    if cover is not None and cover["period"] is not None and cover["period"] > latest:
        cover["period"] = None  # nothing says which quarter is meant
        tally.add("impossible_day", "periodOfReport after the day of filing", member.name)
    if filing is not None and cover is None:
        tally.add("text_form", filing.form or "", member.name)
        batch.reject(file.source, "a report without XML: before mid-2013 they are text, which is not read")
    day = told["filedOn"] or _last_day_of_year(told["accession"])
    rows = [row for body in tables for row in parse.parse_positions(member, body, day, tally)]
    if cover is not None:
        is_whole = not cover.pop("isConfidential") and bool(tables)
        cover["rowsRead"] = sum(row[CUSIP] is not None for row in rows) if is_whole else None
    if filing is not None and cover is not None:
        _check_totals(cover, rows, tally, member.name)
    common = {name: cover[name] for name in _OF_COVER} if cover is not None else {}
    yield batch.build(COVERS, [cover] if cover is not None else [])
    numbered = enumerate(rows, start=1)  # across all tables of the filing
    yield staging.make_batch(POSITIONS, [row | told | common | {LINE: str(place)} for place, row in numbered])


def _last_day_of_year(accession: str | None) -> date | None:
    """Last day of the accession's year: enough to choose the unit of values, which changed at a year's start."""
    return date(accession_order(accession)[0], 12, 31) if accession is not None else None


def _check_totals(cover: Row, rows: list[Row], tally: SignalCounter, example: str) -> None:
    """Emits signals where the table contradicts the cover: missing rows, or different total values."""
    if cover["form"].startswith("13F-NT"):
        return
    if cover["entries"] is not None and cover["entries"] != len(rows):
        tally.add("does_not_add_up", "tableEntryTotal", example)
    if cover["value"] is not None:
        total = sum((Decimal(row["value"]) for row in rows if row["value"] is not None), Decimal(0))
        if abs(total - Decimal(cover["value"])) > len(rows):  # each may be rounded
            tally.add("does_not_add_up", "tableValueTotal", example)


DATASET: Final = ownership_dataset(
    key=KEY,
    title="SEC EDGAR: Form 13F",
    cadence=Cadence(cron="50 8 * * *", stale_after_hours=24 * 60),  # quarterly, most of them within days
    staged_tables=STAGED,
    file_patterns=("form13f/**",),
    recognise_file=recognise_file,
    read_batches=read_batches,
    subjects_to_fetch=partial(filing_subjects, forms=MANAGERS, parties=("Filer",)),
)
