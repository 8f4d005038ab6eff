"""Parses the header of a filing in all its formats: form, dates, filers, subjects, documents.

Tagged (`<CONFORMED-NAME>X`: `.hdr.sgml`, `.nc`, and in the comment of `-index-headers.html`), labelled
(`COMPANY CONFORMED NAME: X`: `.txt`), and the page `-index.html` (docs/formats/us.md 8). Does not belong here:
which items there are (`form8k`), or the content of a document.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Final
from zoneinfo import ZoneInfo

from connectors.us.register import central_index_key

_EASTERN: Final = ZoneInfo("America/New_York")
_YEARS: Final = range(1900, 3000)  # leaves room on both sides for date arithmetic
_TAGGED: Final = re.compile(r"\s*<(/?)([A-Z][A-Z0-9-]*)>(.*)")
_LABELLED: Final = re.compile(r"[\s\]]*([A-Z][A-Z0-9 -]*?):(.*)")  # one header ends a line with a stray bracket
_END: Final = re.compile(r"</(?:SEC|IMS)-HEADER>|-->|<DOCUMENT>", re.IGNORECASE)
_DOCUMENT: Final = re.compile(r"<DOCUMENT>\s*<TYPE>([^\r\n<]*)", re.IGNORECASE)
_ACCESSION: Final = re.compile(r"[0-9]{10}-[0-9]{2}-[0-9]{6}")
_ROLES: Final = frozenset(
    {"FILER", "SUBJECT-COMPANY", "FILED-BY", "FILED-FOR", "ISSUER", "REPORTING-OWNER"}
    | {"DEPOSITOR", "SECURITIZER", "ISSUING-ENTITY", "SERIAL-COMPANY"}
)
_FIELDS: Final = {
    "ACCESSION-NUMBER": "accession",
    "TYPE": "form",
    "CONFORMED-SUBMISSION-TYPE": "form",
    "FILING-DATE": "filed",
    "FILED-AS-OF-DATE": "filed",
    "PERIOD": "period",
    "CONFORMED-PERIOD-OF-REPORT": "period",
    "ACCEPTANCE-DATETIME": "accepted",
}
_OF_PARTY: Final = {
    "CIK": "cik",
    "CENTRAL-INDEX-KEY": "cik",
    "FILE-NUMBER": "file_number",
    "SEC-FILE-NUMBER": "file_number",
    "CONFORMED-NAME": "name",
    "COMPANY-CONFORMED-NAME": "name",
}
_ITEMS: Final = {"ITEMS": "codes", "ITEM-INFORMATION": "labels"}


@dataclass(frozen=True, slots=True)
class FilingParty:
    """A party in a header, with its role."""

    role: str
    cik: str | None
    file_number: str | None
    name: str | None = None


@dataclass(frozen=True, slots=True)
class FilingHeader:
    """A parsed header; missing fields are None. Items are codes or labels, blank ones kept as blanks."""

    accession: str | None
    form: str | None
    filed: date | None
    period: date | None
    accepted: datetime | None
    codes: tuple[str, ...]
    labels: tuple[str, ...]
    parties: tuple[FilingParty, ...]
    documents: tuple[str, ...]


@dataclass(slots=True)
class _HeaderReader:
    """Parser state of a header."""

    fields: dict[str, str] = field(default_factory=dict)
    parties: list[dict[str, str]] = field(default_factory=list)
    items: dict[str, list[str]] = field(default_factory=lambda: {"codes": [], "labels": []})

    def take(self, key: str, value: str) -> None:
        if key in _ROLES and not value:
            self.parties.append({"role": key})
        elif key in _ITEMS:
            self.items[_ITEMS[key]].append(value)
        elif key in _OF_PARTY and self.parties:
            self.parties[-1].setdefault(_OF_PARTY[key], value)
        elif key in _FIELDS and not self.parties:
            self.fields.setdefault(_FIELDS[key], value)


def parse_header(text: str) -> FilingHeader:
    """Parses the header at the beginning of a text, and the types of the documents after it."""
    found = _END.search(text)
    reading = _HeaderReader()
    for line in text[: found.start() if found else len(text)].splitlines():
        pair = _parse_line(line)
        if pair is not None:
            reading.take(*pair)
    documents = _DOCUMENT.findall(html.unescape(text[found.start() :]) if found else "")
    return FilingHeader(
        accession=parse_accession(reading.fields.get("accession")),
        form=reading.fields.get("form") or None,
        filed=parse_day(reading.fields.get("filed")),
        period=parse_day(reading.fields.get("period")),
        accepted=parse_eastern_time(reading.fields.get("accepted")),
        codes=tuple(reading.items["codes"]),
        labels=tuple(reading.items["labels"]),
        parties=tuple(
            FilingParty(
                party["role"],
                central_index_key(party.get("cik")),
                party.get("file_number") or None,
                party.get("name") or None,
            )
            for party in reading.parties
        ),
        documents=tuple(name.strip() for name in documents),
    )


def _parse_line(line: str) -> tuple[str, str] | None:
    """Name and value of one line of either format; names are normalised, with hyphens."""
    tagged = _TAGGED.match(line)
    if tagged is not None:
        return None if tagged[1] else (tagged[2], tagged[3].strip())
    labelled = _LABELLED.match(line)
    return None if labelled is None else (labelled[1].strip().replace(" ", "-"), labelled[2].strip())


def parse_accession(text: str | None) -> str | None:
    """The accession number, if the text is one."""
    return text if text is not None and _ACCESSION.fullmatch(text) else None


def parse_day(text: str | None) -> date | None:
    """Parses 20260220 or 2026-02-20; None for an invalid day, and for 9999-12-31 and similar placeholders."""
    try:
        found = None if not text else date.fromisoformat(text.strip())
    except ValueError:
        return None
    return found if found is not None and found.year in _YEARS else None


def parse_eastern_time(text: str | None) -> datetime | None:
    """Parses 20260220160343 or 2026-02-20 16:03:43 in Eastern time to an instant.

    Midnight means that the hour is unknown: nothing is accepted then, and filings from before 2001 use it.
    """
    digits = re.sub(r"[^0-9]", "", text or "")
    if digits.endswith("000000"):
        return None
    try:
        wall = datetime.strptime(digits, "%Y%m%d%H%M%S")  # noqa: DTZ007 - its zone is put on below
        return wall.replace(tzinfo=_EASTERN).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
