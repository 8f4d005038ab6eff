"""Registered notices as the Finnish register hands them out (docs/formats/fi.md 4).

Belongs here: one company with its notices -> one object; which companies a search finds. Does not belong here:
the company's own fields (`ytj_fi`), HTTP (`desk_fi`).
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Any, Final

from connectors.sandbox.model import Company
from connectors.sandbox.model_fi import Notice
from connectors.sandbox.world import World
from connectors.sandbox.ytj_fi import company_object

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
    """The company with its notices, newest first; without any the key is absent."""
    record = {key: value for key, value in company_object(company).items() if key not in _ABSENT}
    if company.finnish.notices:
        newest = sorted(company.finnish.notices, key=lambda notice: (notice.day, notice.number), reverse=True)
        record["publicNotices"] = [_notice(notice) for notice in newest]
    return record


def _notice(notice: Notice) -> Record:
    return {
        "registrationDate": notice.day.isoformat(),
        "recordNumber": notice.number,
        "typeOfRegistration": notice.kind,
        "entryCodes": list(notice.codes),
    }


def noticed(world: World, day: int, first: date, last: date) -> Iterator[Company]:
    """Companies with a notice of these days, as they are at the end of `day`."""
    for company in world.all("FI", day):
        if any(first <= notice.day <= last for notice in company.finnish.notices):
            yield company
