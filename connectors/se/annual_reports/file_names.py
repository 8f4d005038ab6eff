"""Parses file names in the archive of annual reports: registration week, company, period.

Belongs here: names only. Does not belong here: trusting them over a document (`document`).
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta
from typing import Final

from connectors.kit.xbrl.facts import parse_day
from connectors.se.register import company_number

NESTED: Final = "!/"  # separates an archive from its member
_WEEKLY: Final = re.compile(r"(?:^|/)(\d{4})/(\d{2})_(\d{1,3})\.zip$")
_PACKAGE: Final = re.compile(r"(?<!\d)(\d{6}-?\d{4})\D{1,20}?(\d{4}-\d{2}-\d{2})(?!\d)")


def week_end(name: str) -> date | None:
    """The Sunday that ends the week of registration in `…/2025/39_2.zip`; None for other names."""
    found = _WEEKLY.search(name)
    if found is None:
        return None
    try:
        return date.fromisocalendar(int(found[1]), int(found[2]), 7)
    except ValueError:  # week 53 in a year without one
        return None


def publication_instant(name: str) -> datetime | None:
    """Publication time of a weekly archive: just after midnight at the end of its week."""
    ended = week_end(name)
    return None if ended is None else datetime.combine(ended + timedelta(days=1), time(), UTC)


def parse_package_name(name: str) -> tuple[str, date] | None:
    """Company number and last day of the period from `<number>_<day>.zip`, with anything in between."""
    for part in reversed(name.split(NESTED)):
        found = _PACKAGE.search(part)
        number = company_number(found[1]) if found else None
        end = parse_day(found[2], is_end=False) if found else None
        if number is not None and end is not None:
            return number, end
    return None


def last_path_part(name: str) -> str:
    """Last component of a path."""
    return name.rpartition("/")[2]
