"""The request body of a replay: all errors are reported at once.

See docs/contract/contract.md 4.8.

Does not belong here: the state a replay requires (`api.webhooks.deliveries.service`).
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Final

from pydantic import ValidationInfo, field_validator

from api.http.body_validation import body_instant_field, read_body, request_array_field, unrepeated
from api.http.json_body import Object
from api.schemas.declare import RequestModel, invalid_value
from api.webhooks.deliveries.models import REPLAY_SINCE, REPLAY_TYPES, ReplayedStatus
from api.webhooks.deliveries.records import REPLAYABLE
from api.webhooks.deliveries.service import ReplayRequest
from api.webhooks.subscriptions.requests import RequestedEventType, event_types_field

_DEFAULT_STATUSES: Final = ("failed", "held")


@dataclass(frozen=True, slots=True)
class _Log:
    """What the log reaches back to, and the end of a replay that names none."""

    oldest: datetime
    retention_days: int
    implied_until: datetime | None


class NewReplay(RequestModel):
    """The deliveries to repeat."""

    since: datetime = body_instant_field(REPLAY_SINCE)
    until: datetime = body_instant_field("Events matched before this time; default: now.", default=None)
    statuses: list[Annotated[ReplayedStatus, unrepeated]] = request_array_field(
        len(REPLAYABLE),
        "Only deliveries with these statuses; default: failed and held.",
        when_empty=f"name one or more of {', '.join(REPLAYABLE)}",
        default=None,
    )
    event_types: list[Annotated[RequestedEventType, unrepeated]] | None = event_types_field(REPLAY_TYPES, default=None)

    @field_validator("since")
    @classmethod
    def _check_since(cls, since: datetime, info: ValidationInfo[_Log]) -> datetime:
        log = info.context
        if since < log.oldest:
            raise invalid_value("out_of_range", f"must be at most {log.retention_days} days ago")
        if log.implied_until is not None and since >= log.implied_until:
            raise invalid_value("out_of_range", "must be in the past")
        return since

    @field_validator("until")
    @classmethod
    def _check_until(cls, until: datetime, info: ValidationInfo) -> datetime:
        since: datetime | None = info.data.get("since")
        if since is not None and until <= since:
            raise invalid_value("out_of_range", "must be after since")
        return until


def parse_replay_request(body: Object, now: datetime, oldest: datetime, retention_days: int) -> ReplayRequest:
    """Returns the requested replay, or raises a 422 with all errors."""
    log = _Log(oldest, retention_days, None if "until" in body else now)
    asked = read_body(NewReplay, body, log)
    return ReplayRequest(asked.since, asked.until or now, asked.statuses or _DEFAULT_STATUSES, asked.event_types)
