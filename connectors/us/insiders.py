"""Dataset us.insiders: shares of directors, officers and ten percent owners, Forms 3, 4 and 5.

See docs/formats/us.md 7.3.

Belongs here: the declaration, and recognising files. Forms from before June 2003 are text without a fixed
order: they are rejected by form name and not read. Does not belong here: parsing (`insiders_xml`), holdings
(`insiders_holdings`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from connectors.declare import Batch, Cadence, Dataset, Guard, NotOurs, Piece, Recognised
from connectors.kit import staged
from connectors.kit.formats import opening
from connectors.kit.staged import Tally
from connectors.us import holders_fetch, holders_files, insiders_xml
from connectors.us.access import LIMITER, RATE
from connectors.us.holders_redact import redact
from connectors.us.holders_submission import is_submission
from connectors.us.insiders_fields import KEY, LINES, SOURCE, STAGED
from connectors.us.named import INSIDERS
from connectors.us.register import FILES_HOST, LICENCE

_FORM: Final = re.compile(r"[345](?:/A)?")
_MARK: Final = re.compile(rb"<ownershipDocument\b")
_HEADER_ALONE: Final = re.compile(rb"</SEC-HEADER>\s*</SEC-DOCUMENT>")


def recognise(name: str, head: bytes) -> Recognised | NotOurs:
    """Recognises a filing, or the XML of one."""
    del name
    if _HEADER_ALONE.search(opening(head)):
        return NotOurs("the header of a filing without its document")
    return holders_files.recognised(head, _FORM, _MARK, "Form 3, 4 or 5")


def read(piece: Piece) -> Iterator[Batch]:
    """Batches with the lines of one form."""
    tally = Tally(piece.dataset)
    body = holders_files.body(piece)
    filing, documents = holders_files.parts(piece, body)
    source = holders_files.source(piece, filing)
    forms = [document for document in documents if document.is_xml and _MARK.search(document.body)]
    rejects: list[tuple[object, str, object]] = []
    found: list[dict[str, Any]] = []
    if is_submission(body) and not forms:
        reason = "a form without XML: before June 2003 they are text, which is not read"
        tally.add("text_form", filing.form or "" if filing else "", piece.name)
        rejects.append((source, reason, documents[0].body[:200].decode("latin-1")))
    else:
        found = insiders_xml.rows(piece, (forms or documents)[0].body, tally)
    told = {
        SOURCE: source,
        "accession": holders_files.accession(piece, filing),
        "filedOn": filing.filed_on if filing is not None else None,
    }
    yield staged.batch(LINES, [row | told for row in found], staged.reject_rows(rejects), tally.drain())


DATASET: Final = Dataset(
    key=KEY,
    title="SEC EDGAR: Forms 3, 4 and 5",
    licence=LICENCE,
    cadence=Cadence(cron="25 * * * *", stale_after_hours=24 * 5),
    guard=Guard(max_rejected=0.5),  # a rejected row is a whole form, while an accepted form has several rows
    host=FILES_HOST,
    rate=RATE,
    limiter=LIMITER,
    staged=STAGED,
    files=("forms345/**",),
    recognise=recognise,
    split=staged.single,
    read=read,
    fetch=holders_fetch.filings,
    wants=holders_fetch.wanted(INSIDERS, ("Issuer",)),
    redact=redact,
)
