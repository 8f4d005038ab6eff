"""Status facts that follow from elapsed time alone, and the filings to read for how a filer ended.

Some facts change with time only: eighteen months without a report, ten days after a removal from listing, the
end of a report's wait for its figures (`filings`). Reading the same filings on a later day therefore yields a
different row, so that the companies concerned are processed again. Does not belong here: the status
(`profile.status`), or fetching the filings (`filing_headers.fetch`).
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from connectors.us import form_types
from connectors.us.submissions.filings import WAIT
from connectors.us.submissions.structs import FilingsPage

SILENT_MONTHS: Final = 18  # docs/formats/us.md 12.2
COVERED: Final = "001-"  # file numbers of classes registered for an exchange, section 12(b)
DELAY: Final = timedelta(days=10)  # between a removal and its effect, 17 CFR 240.12d2-2(d)
AFTER: Final = timedelta(days=5)  # a report up to this long after an end still counts as filed before it
AROUND: Final = timedelta(days=60)  # of our own choosing: maximum distance of a current report from its end
BEFORE: Final = timedelta(
    days=731
)  # of our own choosing: a bankruptcy that belongs to an end; ends that are looked into
BANKRUPTCY: Final = "1.03"
TOLD: Final = frozenset({"5.03", "8.01"})  # items that may report a certificate of dissolution
_MONTHS: Final = 12
_ACCESSION: Final = re.compile(r"[0-9]{10}-[0-9]{2}-[0-9]{6}")


@dataclass(frozen=True, slots=True)
class ListedFiling:
    """One filing of a list, with the fields needed here."""

    accession: str
    form: str
    filed: date
    items: str
    file_number: str


def relevant_filings(page: FilingsPage) -> list[ListedFiling]:
    """Relevant filings of a page; those with an unreadable day are reported elsewhere."""
    count = len(page.accessionNumber)
    items, numbers = page.items or [None] * count, page.fileNumber or [None] * count
    found: dict[str, ListedFiling] = {}
    for number, form, day, item, file in zip(
        page.accessionNumber, page.form, page.filingDate, items, numbers, strict=True
    ):
        counts = form is not None and form.removesuffix(form_types.AMENDED) in _COUNTING
        filed = _parse_day(day) if counts and day else None
        if form is not None and filed is not None and number and _ACCESSION.fullmatch(number):
            found[number] = ListedFiling(number, form, filed, item or "", file or "")
    return list(found.values())


def lapsed_status_facts(filings: list[ListedFiling], today: date) -> list[str]:
    """Status facts of a filer's list that follow from elapsed time alone by `today`."""
    own = max((one.filed for one in filings if form_types.is_reporting_form(one.form)), default=None)
    annual = (one for one in filings if one.form in form_types.ANNUAL and one.file_number.startswith(COVERED))
    covered = max((one.filed for one in annual), default=None)
    removed = max(
        (
            (one.filed, one.accession)
            for one in filings
            if one.form in form_types.REMOVAL and one.filed + DELAY <= today
        ),
        default=None,
    )
    reported = max(
        ((one.filed, one.accession) for one in filings if _is_periodic(one.form) and one.filed <= today - WAIT),
        default=None,
    )
    return [
        *(["no report"] if own is not None and add_months(own) < today else []),
        *(["no annual report"] if covered is not None and add_months(covered) < today else []),
        *([f"{removed[1]} in effect"] if removed is not None else []),
        *([f"{reported[1]} waits no longer"] if reported is not None else []),
    ]


def end_filings_to_read(filings: list[ListedFiling], today: date) -> Iterator[ListedFiling]:
    """Yields the filings to read for how a filer ended; none for filers that still report.

    These are its Forms 25 and 15 of the last two years, and the current reports around them unless a merger is
    listed.
    """
    last = max((one.filed for one in filings if form_types.is_reporting_form(one.form)), default=None)
    ends = [
        one
        for one in filings
        if one.form in form_types.ENDING | form_types.REMOVAL
        and one.filed >= today - BEFORE
        and (last is None or last <= one.filed + AFTER + (DELAY if one.form in form_types.REMOVAL else timedelta()))
    ]
    if not ends:
        return
    yield from ends
    for one in filings:
        if one.form.startswith("8-K") and any(_is_related_to_end(one, end) for end in ends):
            yield one


def add_months(day: date, months: int = SILENT_MONTHS) -> date:
    """The same day some months later, or the last day of that month."""
    year, month = divmod(day.year * _MONTHS + day.month - 1 + months, _MONTHS)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


def _is_periodic(form: str) -> bool:
    return form.removesuffix(form_types.AMENDED) in form_types.ANNUAL | form_types.INTERIM | {
        form_types.FOREIGN_INTERIM
    }


def _is_related_to_end(report: ListedFiling, end: ListedFiling) -> bool:
    items = set(report.items.replace(" ", "").split(","))
    near = abs(report.filed - end.filed) <= AROUND
    return (near and not items.isdisjoint(TOLD)) or (
        BANKRUPTCY in items and end.filed - BEFORE <= report.filed <= end.filed + AROUND
    )


def _parse_day(text: str) -> date | None:
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        return None


_COUNTING: Final = form_types.REPORTING | form_types.ENDING | form_types.REMOVAL
