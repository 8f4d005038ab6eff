"""Parses and validates subscription request bodies: pure, reports all errors at once.

See docs/contract/contract.md 4.8.

Event types and companies are normalised to one spelling; other accepted spellings give a warning. Does not
belong here: whether an endpoint's host is public (`api.webhooks.targets`), or how many subscriptions a tier
allows (`api.webhooks.subscriptions`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from api.bodies import Object
from api.forms import SHOWN, Faults, Form, Member, array, meant, or_null, text, whole, word
from warehouse.schema.codes import EVENT_ALIASES, EVENT_TYPES
from warehouse.schema.identifiers import parse

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
class Warned:
    """A warning: accepted, but should be written differently."""

    code: str
    detail: str
    pointer: str

    def members(self) -> dict[str, str]:
        return {"code": self.code, "detail": self.detail, "pointer": self.pointer}


@dataclass(frozen=True, slots=True)
class Asked:
    """The members sent, normalised, with warnings."""

    members: Mapping[str, Any]
    warnings: Sequence[Warned] = ()


def new_subscription(body: Object, most_companies: int, faults: Faults) -> Asked:
    """Parses the body of a new subscription."""
    return _asked(_form(most_companies, is_new=True), body, faults)


def changes(body: Object, most_companies: int, faults: Faults) -> Asked:
    """Parses a merge patch (RFC 7396: omitted members stay)."""
    return _asked(_form(most_companies, is_new=False), body, faults)


def grace(body: Object) -> int:
    """Parses the grace period of the previous secret, in seconds."""
    faults = Faults()
    members = _ROTATION.read(body, faults)
    faults.check()
    return members.get("grace_period_seconds", GRACE)


def test_type(body: Object) -> str | None:
    """Parses the event type of a test; None: any that suits."""
    faults = Faults()
    members = _TEST.read(body, faults)
    faults.check()
    return members.get("event_type")


def mask(event_types: Sequence[str]) -> int:
    """Event types as bits by position in EVENT_TYPES."""
    return sum(1 << EVENT_TYPES.index(event_type) for event_type in event_types)


def _form(most_companies: int, *, is_new: bool) -> Form:
    companies = f"this tier allows at most {most_companies} companies in one subscription"
    return Form(
        Member("endpoint_url", text(LONGEST_URL), is_new),
        Member("event_types", event_types, is_new),
        Member(
            "entity_ids",
            or_null(array(_company, most_companies, "omit entity_ids to receive all companies", companies)),
        ),
        Member("description", or_null(text(LONGEST_DESCRIPTION))),
        Member("max_per_second", or_null(whole(1, FASTEST))),
        Member("status", word(STATUSES)),
        read_only=READ_ONLY,
    )


def _asked(form: Form, body: Object, faults: Faults) -> Asked:
    members = form.read(body, faults)
    warnings = [
        *_aliases(body.get("event_types")),
        *_repeated(body.get("entity_ids"), members.get("entity_ids")),
    ]
    return Asked(members, () if faults.count else warnings)


def _event_type(value: Any, pointer: str, faults: Faults) -> str | None:
    if isinstance(value, str) and value in _KNOWN_TYPES:
        return EVENT_ALIASES.get(value, value)
    if isinstance(value, str):
        detail = f"'{value[:SHOWN]}' is not an event type{meant(value, EVENT_TYPES)}"
    else:
        detail = f"must be one of {', '.join(EVENT_TYPES)}"
    faults.add("unknown_event_type", detail, pointer)
    return None


_types: Final = array(_event_type, len(EVENT_TYPES), f"name one or more of {', '.join(EVENT_TYPES)}")


def event_types(value: Any, pointer: str, faults: Faults) -> tuple[str, ...]:
    found = _types(value, pointer, faults)
    return tuple(event_type for event_type in EVENT_TYPES if event_type in found)


def _company(value: Any, pointer: str, faults: Faults) -> str | None:
    """Company id of a number or id; unknown companies are accepted, Danish ones by their full id."""
    number = parse(value) if isinstance(value, str) else None
    if number is None:
        faults.add("invalid_company", _COMPANY, pointer)
        return None
    return number.company_id


def _aliases(given: Any) -> list[Warned]:
    return [
        Warned(
            "event_type_alias",
            f"'{entry}' is a deprecated alias of '{EVENT_ALIASES[entry]}'.",
            f"/event_types/{place}",
        )
        for place, entry in enumerate(given if isinstance(given, list) else ())
        if isinstance(entry, str) and entry in EVENT_ALIASES
    ]


def _repeated(given: Any, found: Any) -> list[Warned]:
    """Warns about companies listed more than once in different spellings."""
    repeated = len(given) - len(found) if isinstance(given, list) and found else 0
    if not repeated:
        return []
    detail = f"{repeated} of {len(given)} entries repeat a company of another entry."
    return [Warned("repeated_company", detail, "/entity_ids")]


_ROTATION: Final = Form(Member("grace_period_seconds", whole(0, LONGEST_GRACE)))
_TEST: Final = Form(Member("event_type", _event_type))
