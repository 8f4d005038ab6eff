"""Dataset us.schedule13: stakes above five percent, Schedules 13D and 13G (docs/formats/us.md 7.1, 7.2).

Belongs here: the declaration, recognising files, and choosing the parser. Does not belong here: the parsers
(`parse_xml`, `parse_text`), holdings (`holdings`), fetching (`ownership.dataset`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import Any, Final

from connectors.contract.dataset import Cadence
from connectors.contract.pieces import ArchiveMember, Batch, NotApplicable, RecognisedFile
from connectors.kit import staging
from connectors.kit.formats import BodyFormat, detect_body_format
from connectors.kit.staging import SignalCounter
from connectors.us.feeds.pending_filings import STAKES as FORMS
from connectors.us.feeds.pending_filings import filing_subjects
from connectors.us.ownership import files
from connectors.us.ownership.dataset import ownership_dataset
from connectors.us.ownership.full_submission import FullSubmission
from connectors.us.ownership.schedule13 import parse_text, parse_xml
from connectors.us.ownership.schedule13.parse_text import document_line
from connectors.us.ownership.schedule13.rows import (
    StakeStatement,
    cusip_rows,
    issuer_cik_of,
    statement_rows,
    with_sound_ciks,
)
from connectors.us.ownership.schedule13.schema import BARE, CUSIPS, ISSUER, KEY, STAGED, STAKES

_FORM: Final = re.compile(r"(?:SC|SCHEDULE) 13[DG](?:/A)?")
_MARK: Final = re.compile(rb"schedule\s*13\s*+(?:-\s*+)?[dg]\b", re.IGNORECASE)
_TYPE: Final = re.compile(rb"\s*(?:<DOCUMENT>\s*)?<TYPE>([^\r\n<]+)", re.IGNORECASE)


def recognise_file(_name: str, head: bytes) -> RecognisedFile | NotApplicable:
    """Recognises a filing, its XML, or the page or text of an older one, each a delta of one filing."""
    return files.recognise_form(head, _FORM, _MARK, "Schedule 13D or 13G")


def read_batches(member: ArchiveMember) -> Iterator[Batch]:
    """Batches with the persons of one filing, and the issuer of the CUSIPs in it."""
    batch = staging.BatchBuilder(member.dataset)
    file = files.open_file(member)
    # a letter may precede the form
    told = next((one for one in file.documents if _FORM.fullmatch(one.form)), file.documents[0])
    found: list[dict[str, Any]] = []
    cusips: list[dict[str, Any]] = []
    try:
        statement = _parse_statement(member, told.body, file.submission, batch.tally)
        statement = with_sound_ciks(statement, batch.tally, member.name)
        found = statement_rows(statement, file)
        cusips = cusip_rows(statement, issuer_cik_of(statement, file.submission))
    except parse_text.NoCoverPageError as error:
        batch.reject(file.source, error, document_line(told.body)[:200])
    known = all(row[ISSUER] is not None for row in found)
    if not known:
        batch.tally.add("no_issuer", "issuer's CIK: found by its CUSIP, if any filing links the two", member.name)
    yield batch.build(STAKES if known else BARE, found)
    yield staging.make_batch(CUSIPS, cusips)


def _parse_statement(
    piece: ArchiveMember, body: bytes, filing: FullSubmission | None, tally: SignalCounter
) -> StakeStatement:
    if files.is_xml(body):
        return parse_xml.parse_xml_statement(piece, body, tally)
    if detect_body_format(body[:1024]) in (BodyFormat.EMPTY, BodyFormat.UNKNOWN):
        raise piece.unreadable_error("neither XML nor the text of a Schedule 13D or 13G")
    told = _TYPE.match(body)
    form = filing.form if filing is not None else told.group(1).decode("latin-1").strip() if told else None
    return parse_text.parse_text_statement(
        piece, document_line(body), form if form and _FORM.fullmatch(form) else None, tally
    )


DATASET: Final = ownership_dataset(
    key=KEY,
    title="SEC EDGAR: Schedules 13D and 13G",
    cadence=Cadence(cron="15 * * * *", stale_after_hours=24 * 7),
    staged_tables=STAGED,
    file_patterns=("schedule13/**",),
    recognise_file=recognise_file,
    read_batches=read_batches,
    subjects_to_fetch=partial(filing_subjects, forms=FORMS, parties=("Subject",)),
)
