"""Dataset us.getcurrent: the Atom feed of newest filings (docs/formats/us.md 8).

Belongs here: the declaration, recognising pages, their entries as rows. An entry is one filing and one of its
parties, so a filing appears several times, on one page and on the next. Does not belong here: paging
(`current_filings_fetch`), or fetching the filings named (`feeds.pending_filings`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime
from typing import Any, Final

from lxml import etree

from connectors.contract.dataset import Cadence, Dataset, GuardLimits
from connectors.contract.pieces import ArchiveMember, Batch, NotApplicable, RecognisedFile, Scope
from connectors.kit import staging
from connectors.kit.formats import BodyFormat, decompressed_head, detect_body_format
from connectors.kit.xml.parse import MalformedMarkupError, local_name, parse_markup
from connectors.us.feeds import current_filings_fetch
from connectors.us.feeds import schema as f
from connectors.us.register import FILES_HOST, LICENCE, central_index_key

_LIMIT: Final = 16 << 20  # a hundred entries have sixty kilobytes
_ATOM: Final = "{http://www.w3.org/2005/Atom}"
_TITLE: Final = re.compile(r".* \(([0-9]{1,10})\) \(([^()]+)\)\s*", re.DOTALL)
_ID: Final = re.compile(r"urn:tag:sec\.gov,2008:accession-number=([0-9]{10}-[0-9]{2}-[0-9]{6})")
_FILED: Final = re.compile(r"Filed:(?:</b>)?\s*([0-9]{4}-[0-9]{2}-[0-9]{2})")
_ITEM: Final = re.compile(r"\bItem ([0-9]{1,2}(?:\.[0-9]{2})?[a-z]?):")
_ROLES: Final = frozenset(
    {"Filer", "Issuer", "Reporting", "Subject", "Filed by", "Filed for", "Depositor", "Securitizer"}
)
_KNOWN: Final = frozenset({"title", "link", "summary", "updated", "category", "id"})
_OWN: Final = frozenset({"title", "link", "id", "author", "updated", "entry"})


def recognise_file(_name: str, head: bytes) -> RecognisedFile | NotApplicable:
    """Recognises a page, which is a delta: filings it omits are not deleted. Past the end the SEC sends HTML."""
    head = decompressed_head(head)
    if detect_body_format(head) is BodyFormat.HTML:
        return NotApplicable("a page of HTML: the feed ends there, or is out of service")
    if detect_body_format(head) is BodyFormat.EMPTY:
        return NotApplicable("empty body: no page of newest filings")
    return RecognisedFile(None, Scope.FEED)


def read_batches(member: ArchiveMember) -> Iterator[Batch]:
    """One batch of `us_getcurrent`."""
    with staging.open_plain(member) as body:
        text = body.read(_LIMIT + 1)
    if len(text) > _LIMIT or detect_body_format(text) is not BodyFormat.XML:
        due = "expected a page of the Atom of newest filings"
        raise member.unreadable_error(f"{due}, not {len(text)} bytes of {detect_body_format(text)}")
    with staging.unreadable_on(member, MalformedMarkupError, "expected an Atom page"):
        found = parse_markup(text)
    root = found.roots[0]
    if root.tag != f"{_ATOM}feed":
        raise member.unreadable_error(f"expected an Atom feed, not {root.tag}")
    work = _PageReader(member.dataset)
    if found.is_repaired:
        work.tally.add("repaired_markup", "feed", member.name)
    for child in root:
        work.take(child)
    rows = list({tuple(row[name] for name in f.CURRENT.key): row for row in work.rows}.values())
    yield work.build(f.CURRENT, rows)


class _PageReader(staging.BatchBuilder):
    """Collects the rows of one page while it is parsed."""

    def __init__(self, dataset: str) -> None:
        super().__init__(dataset)
        self.rows: list[dict[str, Any]] = []

    def take(self, child: etree._Element) -> None:
        name = local_name(child)
        if name == "entry":
            self._read_entry(child)
        elif name and name not in _OWN:
            self.tally.add("unknown_element", name)

    def _read_entry(self, entry: etree._Element) -> None:
        parts = {name: part for part in entry if (name := local_name(part))}
        number = _ID.fullmatch(_element_text(parts.get("id")))
        title = _TITLE.fullmatch(_element_text(parts.get("title")))
        category = parts.get("category")
        form = "" if category is None else str(category.get("term") or "").strip()
        cik = None if title is None else central_index_key(title[1])
        if number is None or title is None or cik is None or not form:
            missing = "accession number" if number is None else "form" if cik else "CIK and role in the title"
            self.reject(_element_text(parts.get("id")), f"no {missing}", _element_text(parts.get("title")))
            return
        accession, role = number[1], title[2].strip()
        for unknown in parts.keys() - _KNOWN:
            self.tally.add("unknown_element", f"entry.{unknown}", accession)
        if role not in _ROLES:
            self.tally.add("unknown_code", f"role {role}", accession)
        summary = _element_text(parts.get("summary"))
        self.rows.append(
            {
                f.ACCESSION: accession,
                f.CIK: cik,
                f.ROLE: role,
                f.FORM: form,
                f.FILED: self._filing_day(summary, accession),
                f.ACCEPTED: self._accepted_at(_element_text(parts.get("updated")), accession),
                f.ITEMS: _ITEM.findall(summary),
            }
        )

    def _filing_day(self, summary: str, accession: str) -> date | None:
        found = _FILED.search(summary)
        try:
            return None if found is None else date.fromisoformat(found[1])
        except ValueError:
            self.tally.add("unreadable_value", "Filed", accession)
            return None

    def _accepted_at(self, text: str, accession: str) -> datetime | None:
        """An instant, only if the text has a UTC offset; a local time without one gives None."""
        try:
            found = datetime.fromisoformat(text)
            if found.tzinfo is not None:
                return found.astimezone(UTC)
        except (ValueError, OverflowError):
            pass
        self.tally.add("unreadable_value", "updated", accession)
        return None


def _element_text(element: etree._Element | None) -> str:
    return "" if element is None else (element.text or "").strip()


DATASET: Final = Dataset(
    key=f.CURRENT_KEY,
    title="EDGAR: newest filings",
    licence=LICENCE,
    cadence=Cadence(cron="*/2 10-23,0-4 * * *", stale_after_hours=96),  # no filings at weekends and holidays
    guard_limits=GuardLimits(max_rejected=0.05),
    host=FILES_HOST,
    staged_tables={f.CURRENT.name: f.CURRENT},
    file_patterns=("getcurrent/**", "sec_current_atom/**"),
    recognise_file=recognise_file,
    read_batches=read_batches,
    fetch=current_filings_fetch.fetch,
)
