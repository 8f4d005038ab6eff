"""Parses and validates the request body of a replay: pure, reports all errors at once.

See docs/contract/contract.md 4.8.

Does not belong here: the state a replay requires (`api.webhooks.redelivery`).
"""

import re
from datetime import UTC, datetime
from typing import Any, Final

from api.bodies import Object
from api.db.delivery_records import REPLAYABLE
from api.forms import Faults, Form, Member, array, or_null, word
from api.webhooks.redelivery import ReplayRequest
from api.webhooks.validation import event_types

DEFAULT_STATUSES: Final = ("failed", "held")
_INSTANT: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,9})?(?:Z|[+-][0-9]{2}:[0-9]{2})",
    re.IGNORECASE,
)
_REQUIREMENT: Final = "must be a date and time, for example 2026-01-31T12:00:00Z"
# Error for a window that ends before it begins, by whether `until` was given.
_BACKWARDS: Final = {True: ("must be after since", "/until"), False: ("must be in the past", "/since")}


def replay_request(body: Object, now: datetime, oldest: datetime, retention_days: int) -> ReplayRequest:
    """Returns the requested replay, or raises a 422 with all errors."""
    faults = Faults()
    members = _FORM.read(body, faults)
    since: datetime | None = members.get("since")
    until: datetime | None = members.get("until", now)
    if since is not None and until is not None:
        if since < oldest:
            faults.add("out_of_range", f"must be at most {retention_days} days ago", "/since")
        elif until <= since:
            faults.add("out_of_range", *_BACKWARDS["until" in members])
    faults.check()
    if since is None or until is None:
        raise RuntimeError("a valid request body lacks a required member")
    statuses = members.get("statuses", DEFAULT_STATUSES)
    return ReplayRequest(since, until, statuses, members.get("event_types"))


def _instant(value: Any, pointer: str, faults: Faults) -> datetime | None:
    if not isinstance(value, str):
        faults.add("type", _REQUIREMENT, pointer)
    elif not _INSTANT.fullmatch(value):
        faults.add("format", _REQUIREMENT, pointer)
    else:
        try:
            return datetime.fromisoformat(value.upper()).astimezone(UTC)
        except (ValueError, OverflowError):
            faults.add("format", _REQUIREMENT, pointer)
    return None


_FORM: Final = Form(
    Member("since", _instant, required=True),
    Member("until", _instant),
    Member(
        "statuses", array(word(REPLAYABLE), len(REPLAYABLE), f"name one or more of {', '.join(REPLAYABLE)}")
    ),
    Member("event_types", or_null(event_types)),
)
