"""Dataset us.insiders: shares of directors, officers and ten percent owners, Forms 3, 4 and 5.

See docs/formats/us.md 7.3.

Belongs here: the declaration, and recognising files. Forms from before June 2003 are text without a fixed
order: they are rejected by form name and not read. Does not belong here: parsing (`parse`), holdings
(`holdings`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from connectors.contract.dataset import (
    ArchiveMember,
    Batch,
    Cadence,
    Dataset,
    GuardLimits,
    NotApplicable,
    RecognisedFile,
)
from connectors.kit import staging
from connectors.kit.formats import decompressed_head
from connectors.kit.staging import SignalCounter
from connectors.us.feeds.pending_filings import INSIDERS
from connectors.us.ownership import fetch as ownership_fetch
from connectors.us.ownership import files
from connectors.us.ownership.forms345 import parse
from connectors.us.ownership.forms345.schema import KEY, LINES, SOURCE, STAGED
from connectors.us.ownership.full_submission import is_full_submission
from connectors.us.ownership.redact import redact
from connectors.us.register import FILES_HOST, LICENCE

_FORM: Final = re.compile(r"[345](?:/A)?")
_MARK: Final = re.compile(rb"<ownershipDocument\b")
_HEADER_ALONE: Final = re.compile(rb"</SEC-HEADER>\s*</SEC-DOCUMENT>")


def recognise_file(name: str, head: bytes) -> RecognisedFile | NotApplicable:
    """Recognises a filing, or the XML of one."""
    del name
    if _HEADER_ALONE.search(decompressed_head(head)):
        return NotApplicable("the header of a filing without its document")
    return files.recognise_form(head, _FORM, _MARK, "Form 3, 4 or 5")


def read_batches(member: ArchiveMember) -> Iterator[Batch]:
    """Batches with the lines of one form."""
    tally = SignalCounter(member.dataset)
    body = files.read_body(member)
    filing, documents = files.filing_and_documents(member, body)
    source = files.source_key(member, filing)
    forms = [document for document in documents if document.is_xml and _MARK.search(document.body)]
    rejects: list[tuple[object, str, object]] = []
    found: list[dict[str, Any]] = []
    if is_full_submission(body) and not forms:
        reason = "a form without XML: before June 2003 they are text, which is not read"
        tally.add("text_form", filing.form or "" if filing else "", member.name)
        rejects.append((source, reason, documents[0].body[:200].decode("latin-1")))
    else:
        found = parse.parse_insider_rows(member, (forms or documents)[0].body, tally)
    told = {
        SOURCE: source,
        "accession": files.find_accession(member, filing),
        "filedOn": filing.filed_on if filing is not None else None,
    }
    yield staging.make_batch(LINES, [row | told for row in found], staging.reject_rows(rejects), tally.drain())


DATASET: Final = Dataset(
    key=KEY,
    title="SEC EDGAR: Forms 3, 4 and 5",
    licence=LICENCE,
    cadence=Cadence(cron="25 * * * *", stale_after_hours=24 * 5),
    guard_limits=GuardLimits(
        max_rejected=0.5
    ),  # a rejected row is a whole form, while an accepted form has several rows
    host=FILES_HOST,
    staged_tables=STAGED,
    file_patterns=("forms345/**",),
    recognise_file=recognise_file,
    split_members=staging.no_split,
    read_batches=read_batches,
    fetch=ownership_fetch.fetch_filings,
    subjects_to_fetch=ownership_fetch.subjects_selector(INSIDERS, ("Issuer",)),
    redact=redact,
)
