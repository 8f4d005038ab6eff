"""Dataset us.insiders: shares of directors, officers and ten percent owners, Forms 3, 4 and 5.

See docs/formats/us.md 7.3.

Belongs here: the declaration, and recognising files. Forms from before June 2003 are text without a fixed
order: they are rejected by form name and not read. Does not belong here: parsing (`parse`), holdings
(`holdings`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import Any, Final

from connectors.contract.dataset import Cadence
from connectors.contract.pieces import ArchiveMember, Batch, NotApplicable, RecognisedFile
from connectors.kit import staging
from connectors.kit.formats import decompressed_head
from connectors.us.feeds.pending_filings import INSIDERS, filing_subjects
from connectors.us.ownership import files
from connectors.us.ownership.dataset import ownership_dataset
from connectors.us.ownership.forms345 import parse
from connectors.us.ownership.forms345.schema import KEY, LINES, STAGED

_FORM: Final = re.compile(r"[345](?:/A)?")
_MARK: Final = re.compile(rb"<ownershipDocument\b")
_HEADER_ALONE: Final = re.compile(rb"</SEC-HEADER>\s*</SEC-DOCUMENT>")


def recognise_file(_name: str, head: bytes) -> RecognisedFile | NotApplicable:
    """Recognises a filing, or the XML of one."""
    if _HEADER_ALONE.search(decompressed_head(head)):
        return NotApplicable("the header of a filing without its document")
    return files.recognise_form(head, _FORM, _MARK, "Form 3, 4 or 5")


def read_batches(member: ArchiveMember) -> Iterator[Batch]:
    """Batches with the lines of one form."""
    batch = staging.BatchBuilder(member.dataset)
    file = files.open_file(member)
    forms = [document for document in file.documents if document.is_xml and _MARK.search(document.body)]
    found: list[dict[str, Any]] = []
    if file.submission is not None and not forms:
        reason = "a form without XML: before June 2003 they are text, which is not read"
        batch.tally.add("text_form", file.submission.form or "", member.name)
        batch.reject(file.source, reason, file.documents[0].body[:200].decode("latin-1"))
    else:
        found = parse.parse_insider_rows(member, (forms or file.documents)[0].body, batch.tally)
    yield batch.build(LINES, [row | file.origin() for row in found])


DATASET: Final = ownership_dataset(
    key=KEY,
    title="SEC EDGAR: Forms 3, 4 and 5",
    cadence=Cadence(cron="25 * * * *", stale_after_hours=24 * 5),
    staged_tables=STAGED,
    file_patterns=("forms345/**",),
    recognise_file=recognise_file,
    read_batches=read_batches,
    subjects_to_fetch=partial(filing_subjects, forms=INSIDERS, parties=("Issuer",)),
)
