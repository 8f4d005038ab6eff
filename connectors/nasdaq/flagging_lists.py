"""Parses issuers' own tables of notifications, flattened to one line each: days, holder, limit, two percentages.

Belongs here: the Finnish table «Julkaisupäivä, Tapahtumapäivä, Osakkeenomistaja, Kynnys, Suora omistus,
Kokonaisomistus», in which cells run into each other. Does not belong here: releases in the supervisor's form.
"""

from __future__ import annotations

import re
from datetime import date
from typing import Final

from connectors.kit.percentages import percentage
from connectors.nasdaq.flagging_form import Notification, Position
from connectors.nasdaq.flagging_row import Column, Level, NoForm

_HEAD: Final = re.compile(r"Tapahtumapäivä\W*Osakkeenomistaja\W*Kynnys\W*Suora omistus %\W*Kokonaisomistus %")
_DAY: Final = r"(\d{1,2})\.(\d{1,2})\.(\d{4})"
_HUNDRED: Final = 100
_LINE: Final = re.compile(
    rf"^[^\w\n]*+{_DAY}\W*+{_DAY}\W*+(?P<holder>\D{{1,200}}?)\W{{0,60}}(?:yli|alle)\s*\d+(?:,\d+)?\s*%\W*+"
    r"(?P<direct>\d+(?:,\d+)?)\s*%\W*+(?P<total>\d+(?:,\d+)?)\s*%",
    re.MULTILINE | re.IGNORECASE,
)


def notifications(text: str) -> list[Notification | NoForm]:
    """The lines of such a table, or the reason for a line that cannot be parsed; empty for other texts."""
    if _HEAD.search(text) is None:
        return []
    return [_notification(found) for found in _LINE.finditer(text)]


def _notification(found: re.Match[str]) -> Notification | NoForm:
    """Position held directly and in total; the table has no votes."""
    try:
        day = date(int(found[6]), int(found[5]), int(found[4]))
    except ValueError:
        return NoForm(f"{found[4]}.{found[5]}.{found[6]} is no day")
    total = percentage(found["total"])
    if total > _HUNDRED:
        return NoForm(f"expected a percentage, found {total}")
    held = Column(Level(exact=total), None)
    return Notification(found["holder"].strip(), None, None, day, Position(held, None, None), None)
