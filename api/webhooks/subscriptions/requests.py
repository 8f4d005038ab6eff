"""Request bodies of subscriptions, with warnings; all errors are reported at once (docs/contract/contract.md 4.8).

Event types and companies are normalised to one spelling; other accepted spellings give a warning. Does not belong
here: whether an endpoint's host is public (`api.webhooks.egress.url_policy`), or how many subscriptions a tier
allows (`api.webhooks.subscriptions.service`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final

from pydantic import AfterValidator, BeforeValidator, Field, ValidationInfo, field_validator

from api.companies.body_fields import RequestedCompany
from api.http.body_validation import (
    ValidationErrors,
    did_you_mean,
    json_pointer,
    parse_body,
    request_array_field,
    sent_members,
    to_whole_number,
    unrepeated,
    whole_number_field,
)
from api.http.json_body import Object
from api.http.suggestions import SHOWN
from api.schemas.declare import OMITTED, RequestModel, Requirement, invalid_value, with_metadata
from api.webhooks.destinations.models import NewDestination, address_field
from api.webhooks.errors import ENDPOINT_URL
from api.webhooks.filters.models import TYPES_OF, Filters, RequestedFilters, schema, sent_filters
from api.webhooks.subscriptions.models import (
    ENDPOINT,
    EVENT_BITS,
    MOST_COMPANIES,
    CreatedSubscription,
    Description,
    PerSecond,
    SubscriptionStatus,
)
from warehouse.schema.codes import EVENT_ALIASES, EVENT_TYPES

_KNOWN_TYPES: Final = (*EVENT_TYPES, *EVENT_ALIASES)


def _to_event_type(value: Any) -> str:
    if isinstance(value, str) and value in _KNOWN_TYPES:
        return EVENT_ALIASES.get(value, value)
    if isinstance(value, str):
        detail = f"'{value[:SHOWN]}' is not an event type{did_you_mean(value, EVENT_TYPES)}"
    else:
        detail = f"must be one of {', '.join(EVENT_TYPES)}"
    raise invalid_value("unknown_event_type", detail)


def event_types_field(description: str, **more: Any) -> Any:
    """Event types in their canonical names and order."""
    when_empty = f"name one or more of {', '.join(EVENT_TYPES)}"
    field = request_array_field(len(EVENT_TYPES), description, when_empty=when_empty, **more)
    return with_metadata(field, AfterValidator(lambda found: found and [one for one in EVENT_TYPES if one in found]))


RequestedEventType = Annotated[
    str,
    BeforeValidator(_to_event_type),
    schema("string", "An event type, or a deprecated alias of one.", enum=[*_KNOWN_TYPES]),
]
RequestedEventTypes = Annotated[
    list[Annotated[RequestedEventType, unrepeated]], event_types_field("Only these event types; there is no wildcard.")
]


class NewSubscription(RequestModel):
    """A subscription to create."""

    endpoint_url: str = address_field(ENDPOINT)
    destination: NewDestination = with_metadata(
        Field(
            default=OMITTED,
            description="Where events go, in place of `endpoint_url`, which is short for kind `https`: a creation "
            "needs one of the two. In a change of the same kind, members left out keep their value.",
        ),
        Requirement("must be an object"),
    )
    event_types: RequestedEventTypes
    entity_ids: list[Annotated[RequestedCompany, unrepeated]] | None = with_metadata(
        request_array_field(
            MOST_COMPANIES,
            "Only these companies, including ones not known yet; null or omitted means all. "
            "The tier limits the number.",
            when_empty="omit entity_ids to receive all companies",
            default=None,
        ),
        AfterValidator(lambda found: found and [*dict.fromkeys(found)]),
    )
    filters: RequestedFilters | None = with_metadata(
        Field(
            default=None,
            description="Only events that pass all of these; with `entity_ids` both hold. Null, {} or omitted: no "
            "filter. In a change, members left out keep their value; null ends one, {} all.",
        ),
        Requirement("must be an object or null"),
    )
    description: Description = None
    max_per_second: Annotated[PerSecond, BeforeValidator(to_whole_number)] = None
    status: SubscriptionStatus = OMITTED

    @field_validator("entity_ids", mode="before")
    @classmethod
    def _check_tier_limit(cls, value: Any, info: ValidationInfo[int]) -> Any:
        if isinstance(value, list) and len(value) > info.context:
            detail = f"this tier allows at most {info.context} companies in one subscription"
            raise invalid_value("too_many", detail)
        return value


class SubscriptionChanges(NewSubscription):
    """The members to change; omitted members keep their value (RFC 7396)."""

    event_types: RequestedEventTypes = OMITTED


NewSubscription.read_only = tuple(CreatedSubscription.model_fields.keys() - NewSubscription.model_fields.keys())


class SecretRotation(RequestModel):
    """Options of a secret rotation."""

    grace_period_seconds: int = whole_number_field(
        0, 604_800, "How long the previous secret also signs, in seconds.", default=86_400
    )


class TestSend(RequestModel):
    """The event type to send as a test."""

    event_type: RequestedEventType = OMITTED


@dataclass(frozen=True, slots=True)
class InputWarning:
    """A warning: accepted, but should be written differently. Encoded as it is."""

    code: str
    detail: str
    pointer: str


@dataclass(frozen=True, slots=True)
class SubscriptionInput:
    """The members sent, normalised, with warnings; `filters` as a merge patch (`merged_filters`)."""

    members: Mapping[str, Any]
    warnings: Sequence[InputWarning] = ()


def parse_subscription(
    model: type[NewSubscription], body: Object, max_companies: int, errors: ValidationErrors
) -> SubscriptionInput:
    """Parses the body of a new subscription, or a merge patch."""
    parsed = parse_body(model, body, errors, max_companies)
    _check_place(model, body, errors)
    if parsed is None:
        return SubscriptionInput(_valid_endpoint(body, errors))
    members = sent_members(parsed)
    if "destination" in members:
        members["destination"] = sent_members(parsed.destination)
    if "filters" in members:
        members["filters"] = sent_filters(parsed.filters)
    warnings = [
        *_alias_warnings(body.get("event_types")),
        *_repeat_warnings(body.get("entity_ids"), members.get("entity_ids")),
    ]
    return SubscriptionInput(members, warnings)


def destination_patch(members: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The destination that members name, as a merge patch; None if they name none."""
    if "endpoint_url" in members:
        return {"kind": "https", "url": members["endpoint_url"]}
    return members.get("destination")


def _check_place(model: type[NewSubscription], body: Object, errors: ValidationErrors) -> None:
    """Adds the error of a body without a place for events, or with two."""
    given = [name for name in ("endpoint_url", "destination") if name in body]
    if not given and model is NewSubscription:
        errors.add("missing", "'endpoint_url' is required, or 'destination'", ENDPOINT_URL)
    elif len(given) > 1:
        errors.add("conflict", "'destination' stands in place of 'endpoint_url': send one of them", "/destination")


def filter_warnings(filters: Filters | None, event_types: Sequence[str]) -> list[InputWarning]:
    """Warns about filters that none of the event types heeds."""
    return [
        InputWarning("unused_filter", f"None of event_types is filtered by {name}.", json_pointer("filters", name))
        for name, types in TYPES_OF.items()
        if name in (filters or {}) and not types.intersection(event_types)
    ]


def to_event_mask(event_types: Sequence[str]) -> int:
    """Event types as bits by position in EVENT_TYPES."""
    return sum(EVENT_BITS[event_type] for event_type in event_types)


def _valid_endpoint(body: Object, errors: ValidationErrors) -> dict[str, Any]:
    """The endpoint of a body with other errors: its address is checked too, to report all errors at once."""
    is_wrong = any(error.pointer == ENDPOINT_URL for error in errors.errors)
    return {} if is_wrong or "endpoint_url" not in body else {"endpoint_url": body["endpoint_url"]}


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
