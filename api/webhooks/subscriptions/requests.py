"""Parses and validates subscription request bodies: pure, reports all errors at once.

See docs/contract/contract.md 4.8.

Event types and companies are normalised to one spelling; other accepted spellings give a warning. Does not belong
here: whether an endpoint's host is public (`api.webhooks.egress.url_policy`), or how many subscriptions a tier
allows (`api.webhooks.subscriptions.service`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from api.http.body_validation import (
    SHOWN,
    BodyField,
    BodySchema,
    ValidationErrors,
    array_parser,
    did_you_mean,
    integer_parser,
    nullable_parser,
    one_of_parser,
    text_parser,
)
from api.http.json_body import Object
from api.webhooks.subscriptions.records import EVENT_BITS
from warehouse.schema.codes import EVENT_ALIASES, EVENT_TYPES
from warehouse.schema.identifiers import parse_company_number

STATUSES: Final = ("active", "paused")
LONGEST_URL: Final = 2_048
LONGEST_DESCRIPTION: Final = 256
FASTEST: Final = 100
LONGEST_GRACE: Final = 604_800
GRACE: Final = 86_400
READ_ONLY: Final = (
    "id",
    "status_reason",
    "status_changed_at",
    "created_at",
    "updated_at",
    "last_attempt_at",
    "last_success_at",
    "last_failure_at",
    "consecutive_failures",
    "held_deliveries",
    "secret_hint",
    "previous_secret_expires_at",
    "secret",
    "warnings",
)
_KNOWN_TYPES: Final = (*EVENT_TYPES, *EVENT_ALIASES)
_COMPANY: Final = "must be a company id or number, for example firm:SE:5599999991"


@dataclass(frozen=True, slots=True)
class InputWarning:
    """A warning: accepted, but should be written differently. Encoded as it is."""

    code: str
    detail: str
    pointer: str


@dataclass(frozen=True, slots=True)
class SubscriptionInput:
    """The members sent, normalised, with warnings."""

    members: Mapping[str, Any]
    warnings: Sequence[InputWarning] = ()


def parse_new_subscription(body: Object, max_companies: int, errors: ValidationErrors) -> SubscriptionInput:
    """Parses the body of a new subscription."""
    return _parse_input(_body_schema(max_companies, is_new=True), body, errors)


def parse_changes(body: Object, max_companies: int, errors: ValidationErrors) -> SubscriptionInput:
    """Parses a merge patch (RFC 7396: omitted members stay)."""
    return _parse_input(_body_schema(max_companies, is_new=False), body, errors)


def parse_grace_seconds(body: Object) -> int:
    """Parses the grace period of the previous secret, in seconds."""
    faults = ValidationErrors()
    members = _ROTATION.read(body, faults)
    faults.check()
    return members.get("grace_period_seconds", GRACE)


def parse_test_type(body: Object) -> str | None:
    """Parses the event type of a test; None: any that suits."""
    faults = ValidationErrors()
    members = _TEST.read(body, faults)
    faults.check()
    return members.get("event_type")


def to_event_mask(event_types: Sequence[str]) -> int:
    """Event types as bits by position in EVENT_TYPES."""
    return sum(EVENT_BITS[event_type] for event_type in event_types)


def _body_schema(most_companies: int, *, is_new: bool) -> BodySchema:
    companies = f"this tier allows at most {most_companies} companies in one subscription"
    return BodySchema(
        BodyField("endpoint_url", text_parser(LONGEST_URL), is_new),
        BodyField("event_types", parse_event_types, is_new),
        BodyField(
            "entity_ids",
            nullable_parser(
                array_parser(_parse_company, most_companies, "omit entity_ids to receive all companies", companies)
            ),
        ),
        BodyField("description", nullable_parser(text_parser(LONGEST_DESCRIPTION))),
        BodyField("max_per_second", nullable_parser(integer_parser(1, FASTEST))),
        BodyField("status", one_of_parser(STATUSES)),
        read_only=READ_ONLY,
    )


def _parse_input(form: BodySchema, body: Object, faults: ValidationErrors) -> SubscriptionInput:
    members = form.read(body, faults)
    warnings = [
        *_alias_warnings(body.get("event_types")),
        *_repeat_warnings(body.get("entity_ids"), members.get("entity_ids")),
    ]
    return SubscriptionInput(members, () if faults.count else warnings)


def _parse_event_type(value: Any, pointer: str, faults: ValidationErrors) -> str | None:
    if isinstance(value, str) and value in _KNOWN_TYPES:
        return EVENT_ALIASES.get(value, value)
    if isinstance(value, str):
        detail = f"'{value[:SHOWN]}' is not an event type{did_you_mean(value, EVENT_TYPES)}"
    else:
        detail = f"must be one of {', '.join(EVENT_TYPES)}"
    faults.add("unknown_event_type", detail, pointer)
    return None


_types: Final = array_parser(_parse_event_type, len(EVENT_TYPES), f"name one or more of {', '.join(EVENT_TYPES)}")


def parse_event_types(value: Any, pointer: str, errors: ValidationErrors) -> tuple[str, ...]:
    found = _types(value, pointer, errors)
    return tuple(event_type for event_type in EVENT_TYPES if event_type in found)


def _parse_company(value: Any, pointer: str, faults: ValidationErrors) -> str | None:
    """Company id of a number or id; unknown companies are accepted, as are those of announced markets."""
    number = parse_company_number(value) if isinstance(value, str) else None
    if number is None:
        faults.add("invalid_company", _COMPANY, pointer)
        return None
    return number.company_id


def _alias_warnings(given: Any) -> list[InputWarning]:
    return [
        InputWarning(
            "event_type_alias", f"'{entry}' is a deprecated alias of '{EVENT_ALIASES[entry]}'.", f"/event_types/{place}"
        )
        for place, entry in enumerate(given if isinstance(given, list) else ())
        if isinstance(entry, str) and entry in EVENT_ALIASES
    ]


def _repeat_warnings(given: Any, found: Any) -> list[InputWarning]:
    """Warns about companies listed more than once in different spellings."""
    repeated = len(given) - len(found) if isinstance(given, list) and found else 0
    if not repeated:
        return []
    detail = f"{repeated} of {len(given)} entries repeat a company of another entry."
    return [InputWarning("repeated_company", detail, "/entity_ids")]


_ROTATION: Final = BodySchema(BodyField("grace_period_seconds", integer_parser(0, LONGEST_GRACE)))
_TEST: Final = BodySchema(BodyField("event_type", _parse_event_type))
