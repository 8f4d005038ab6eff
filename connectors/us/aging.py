"""What a filer's list tells on one day and not on another, and which of its filings are to be read for its end.

Time alone ends some things: eighteen months without a report, ten days after a removal from listing, the wait of a
report for its figures (`filings`). A reading of
the same filings on a later day is another row by it, so that whom it concerns is looked at again. Does not belong
here: the status itself (`statuses`), or asking for filings (`endings`).
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from connectors.us import forms
from connectors.us.filings import WAIT
from connectors.us.submissions_model import Page

SILENT_MONTHS: Final = 18  # docs/formats/us.md 12.2
COVERED: Final = "001-"  # file numbers of classes registered for an exchange, section 12(b)
DELAY: Final = timedelta(days=10)  # between a removal and its effect, 17 CFR 240.12d2-2(d)
AFTER: Final = timedelta(days=5)  # a report that long after an end is still one of before
AROUND: Final = timedelta(days=60)  # of our own choosing: a current report that belongs to an end
BEFORE: Final = timedelta(
    days=731
)  # of our own choosing: a bankruptcy that belongs to one; ends that are read about
BANKRUPTCY: Final = "1.03"
TOLD: Final = frozenset({"5.03", "8.01"})  # items in which a certificate of dissolution is told of
_MONTHS: Final = 12
_ACCESSION: Final = re.compile(r"[0-9]{10}-[0-9]{2}-[0-9]{6}")


@dataclass(frozen=True, slots=True)
class Listed:
    """One filing of a list, as far as it counts here."""

    accession: str
    form: str
    filed: date
    items: str
    file_number: str


def listed(page: Page) -> list[Listed]:
    """The filings of a page that count; those whose day does not read are told of elsewhere."""
    count = len(page.accessionNumber)
    items, numbers = page.items or [None] * count, page.fileNumber or [None] * count
    found: dict[str, Listed] = {}
    for number, form, day, item, file in zip(
        page.accessionNumber, page.form, page.filingDate, items, numbers, strict=True
    ):
        counts = form is not None and form.removesuffix(forms.AMENDED) in _COUNTING
        filed = _day(day) if counts and day else None
        if form is not None and filed is not None and number and _ACCESSION.fullmatch(number):
            found[number] = Listed(number, form, filed, item or "", file or "")
    return list(found.values())


def aged(found: list[Listed], today: date) -> list[str]:
    """What time alone has made of a list until a day."""
    own = max((one.filed for one in found if forms.is_own(one.form)), default=None)
    annual = (one for one in found if one.form in forms.ANNUAL and one.file_number.startswith(COVERED))
    covered = max((one.filed for one in annual), default=None)
    removed = max(
        (
            (one.filed, one.accession)
            for one in found
            if one.form in forms.REMOVAL and one.filed + DELAY <= today
        ),
        default=None,
    )
    reported = max(
        ((one.filed, one.accession) for one in found if _is_periodic(one.form) and one.filed <= today - WAIT),
        default=None,
    )
    return [
        *(["no report"] if own is not None and later(own) < today else []),
        *(["no annual report"] if covered is not None and later(covered) < today else []),
        *([f"{removed[1]} in effect"] if removed is not None else []),
        *([f"{reported[1]} waits no longer"] if reported is not None else []),
    ]


def ending(found: list[Listed], today: date) -> Iterator[Listed]:
    """Filings that have to be read themselves to know how a filer ended: none of who goes on reporting.

    Its Forms 25 and 15 of the last two years, and the current reports around them where no merger is listed.
    """
    last = max((one.filed for one in found if forms.is_own(one.form)), default=None)
    ends = [
        one
        for one in found
        if one.form in forms.ENDING | forms.REMOVAL
        and one.filed >= today - BEFORE
        and (
            last is None or last <= one.filed + AFTER + (DELAY if one.form in forms.REMOVAL else timedelta())
        )
    ]
    if not ends:
        return
    yield from ends
    for one in found:
        if one.form.startswith("8-K") and any(_belongs(one, end) for end in ends):
            yield one


def later(day: date, months: int = SILENT_MONTHS) -> date:
    """The same day some months later, or the last of that month."""
    year, month = divmod(day.year * _MONTHS + day.month - 1 + months, _MONTHS)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


def _is_periodic(form: str) -> bool:
    return form.removesuffix(forms.AMENDED) in forms.ANNUAL | forms.INTERIM | {forms.FOREIGN_INTERIM}


def _belongs(report: Listed, end: Listed) -> bool:
    items = set(report.items.replace(" ", "").split(","))
    near = abs(report.filed - end.filed) <= AROUND
    return (near and not items.isdisjoint(TOLD)) or (
        BANKRUPTCY in items and end.filed - BEFORE <= report.filed <= end.filed + AROUND
    )


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        return None


_COUNTING: Final = forms.OWN | forms.ENDING | forms.REMOVAL
