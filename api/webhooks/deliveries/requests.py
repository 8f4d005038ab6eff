"""Parses and validates the request body of a replay: pure, reports all errors at once.

See docs/contract/contract.md 4.8.

Does not belong here: the state a replay requires (`api.webhooks.deliveries.service`).
"""

import re
from datetime import UTC, datetime
from typing import Any, Final

from api.http.body_validation import (
    BodyField,
    BodySchema,
    ValidationErrors,
    array_parser,
    nullable_parser,
    one_of_parser,
)
from api.http.json_body import Object
from api.webhooks.deliveries.records import REPLAYABLE
from api.webhooks.deliveries.service import ReplayRequest
from api.webhooks.subscriptions.requests import parse_event_types

DEFAULT_STATUSES: Final = ("failed", "held")
_INSTANT: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,9})?(?:Z|[+-][0-9]{2}:[0-9]{2})", re.IGNORECASE
)
_REQUIREMENT: Final = "must be a date and time, for example 2026-01-31T12:00:00Z"
# Error for a window that ends before it begins, by whether `until` was given.
_BACKWARDS: Final = {True: ("must be after since", "/until"), False: ("must be in the past", "/since")}


def parse_replay_request(body: Object, now: datetime, oldest: datetime, retention_days: int) -> ReplayRequest:
    """Returns the requested replay, or raises a 422 with all errors."""
    faults = ValidationErrors()
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


def _parse_instant(value: Any, pointer: str, faults: ValidationErrors) -> datetime | None:
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


_FORM: Final = BodySchema(
    BodyField("since", _parse_instant, is_required=True),
    BodyField("until", _parse_instant),
    BodyField(
        "statuses",
        array_parser(one_of_parser(REPLAYABLE), len(REPLAYABLE), f"name one or more of {', '.join(REPLAYABLE)}"),
    ),
    BodyField("event_types", nullable_parser(parse_event_types)),
)
