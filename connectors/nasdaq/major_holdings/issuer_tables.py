"""Parses issuers' own tables of notifications, flattened to one line each: days, holder, limit, two percentages.

Belongs here: the Finnish table «Julkaisupäivä, Tapahtumapäivä, Osakkeenomistaja, Kynnys, Suora omistus,
Kokonaisomistus», in which cells run into each other. Does not belong here: releases in the supervisor's form.
"""

from __future__ import annotations

import re
from datetime import date
from typing import Final

from connectors.kit.columns.percentages import percentage_from_text
from connectors.nasdaq.major_holdings.form import FlaggingNotification, FormPosition
from connectors.nasdaq.major_holdings.form_row import FormColumn, NotFlaggingFormError, PercentageLevel

_HEAD: Final = re.compile(r"Tapahtumapäivä\W*Osakkeenomistaja\W*Kynnys\W*Suora omistus %\W*Kokonaisomistus %")
_DAY: Final = r"(\d{1,2})\.(\d{1,2})\.(\d{4})"
_HUNDRED: Final = 100
_LINE: Final = re.compile(
    rf"^[^\w\n]*+{_DAY}\W*+{_DAY}\W*+(?P<holder>\D{{1,200}}?)\W{{0,60}}(?:yli|alle)\s*\d+(?:,\d+)?\s*%\W*+"
    r"(?P<direct>\d+(?:,\d+)?)\s*%\W*+(?P<total>\d+(?:,\d+)?)\s*%",
    re.MULTILINE | re.IGNORECASE,
)


def parse_table_notifications(text: str) -> list[FlaggingNotification | NotFlaggingFormError]:
    """The lines of such a table, or the reason for a line that cannot be parsed; empty for other texts."""
    if _HEAD.search(text) is None:
        return []
    return [_line_notification(found) for found in _LINE.finditer(text)]


def _line_notification(found: re.Match[str]) -> FlaggingNotification | NotFlaggingFormError:
    """Position held directly and in total; the table has no votes."""
    try:
        day = date(int(found[6]), int(found[5]), int(found[4]))
    except ValueError:
        return NotFlaggingFormError(f"{found[4]}.{found[5]}.{found[6]} is no day")
    total = percentage_from_text(found["total"])
    if total > _HUNDRED:
        return NotFlaggingFormError(f"expected a percentage, found {total}")
    held = FormColumn(PercentageLevel(exact=total), None)
    return FlaggingNotification(found["holder"].strip(), None, None, day, FormPosition(held, None, None), None)
