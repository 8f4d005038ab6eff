"""Renders registered notices in the Finnish register's format (docs/formats/fi.md 4).

Belongs here: one company with its notices to one object; companies found by a search. Does not belong here: the
company's own fields (`ytj`), HTTP (`http`).
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Any, Final

from sandbox.fi.ytj import company_object
from sandbox.model.company import Company
from sandbox.model.fi import RegisteredNotice
from sandbox.world import World

_ABSENT: Final = ("mainBusinessLine", "website")
TYPES: Final = {  # NRT
    "TA": "Financial statements",
    "M": "Amendment",
    "U": "Start-up",
    "OI": "Rectification",
    "JH": "Public summons to creditors",
    "FUU": "Merger",
    "DIF": "Demerger",
}
Record = dict[str, Any]


def company_with_notices(company: Company) -> Record:
    """Company with its notices, newest first; without notices the key is absent."""
    record = {key: value for key, value in company_object(company).items() if key not in _ABSENT}
    if company.finnish.notices:
        newest = sorted(company.finnish.notices, key=lambda notice: (notice.day, notice.number), reverse=True)
        record["publicNotices"] = [_notice_record(notice) for notice in newest]
    return record


def _notice_record(notice: RegisteredNotice) -> Record:
    return {
        "registrationDate": notice.day.isoformat(),
        "recordNumber": notice.number,
        "typeOfRegistration": notice.kind,
        "entryCodes": list(notice.codes),
    }


def companies_with_notices(world: World, day: int, first: date, last: date) -> Iterator[Company]:
    """Yields companies with a notice in the given days, in their state at the end of `day`."""
    for company in world.all("FI", day):
        if any(first <= notice.day <= last for notice in company.finnish.notices):
            yield company
