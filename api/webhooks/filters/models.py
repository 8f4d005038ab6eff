"""Filters of a subscription in requests and responses, and how a change is merged (docs/contract/contract.md 4.8c).

Stored and served are the filters that are set, in the order of the model; none at all is null. Does not belong here:
columns and matching (`api.webhooks.filters.matching`), or whether a watchlist exists
(`api.webhooks.subscriptions.service`).
"""

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Any, Final

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema

from api.companies.query_params import INDUSTRY_CODE, INDUSTRY_REQUIREMENT, has_one_classification
from api.http.body_validation import (
    ValidationErrors,
    did_you_mean,
    json_pointer,
    request_array_field,
    sent_members,
    to_whole_number,
    unrepeated,
)
from api.http.suggestions import SHOWN
from api.schemas import declare, shared
from api.schemas.declare import OMITTED, RequestModel, Requirement, ResponseModel, invalid_value, with_metadata
from warehouse.schema.codes import (
    ALIASES,
    CHANGE_FIELDS,
    INDUSTRY_SCHEMES,
    MARKET_NAMES,
    PROFILE_FIELDS,
    SERVED,
    THRESHOLDS,
)

Filters = Mapping[str, Any]
"""The filters that are set, by name, as they are served."""
CHANGED_FIELDS: Final = (*CHANGE_FIELDS, *PROFILE_FIELDS)
"""Their places are bits in stored columns: new ones go to the end."""
PCT_DECIMALS: Final = 4
_MOST_INDUSTRIES: Final = 50
_WHEN_EMPTY: Final = "leave it out instead, or send null"
_MOST_PCT: Final = 100
_INDUSTRY: Final = re.compile(INDUSTRY_CODE)
_WATCHLIST: Final = "Only events of companies that are on this watchlist of the account when the event is matched."
_INDUSTRIES: Final = "Only companies with an industry code that begins with one of these."
_SCHEME: Final = "Only companies whose code is of this version of a classification."
_COUNTRIES: Final = "Only companies of these markets."
_LISTED: Final = "true: only listed companies; false: only companies without evidence of a listing."
_OWNERSHIP: Final = "Only these events of type ownership.changed; other types are not affected."
_FIELDS: Final = (
    "Only events of type filing.updated or company.changed in which one of these changed; other types are not affected."
)
_MIN_CHANGE: Final = (
    "Only where the share changed by at least so many percentage points; a change between bands is not known, and "
    "does not match."
)
_CROSSED: Final = "Only where one of these thresholds was crossed."


def _to_country(value: Any) -> str:
    if isinstance(value, str) and (value in SERVED or value in ALIASES):
        return ALIASES.get(value, value)
    if isinstance(value, str) and value in MARKET_NAMES:
        raise invalid_value("market_not_available", f"{value} is not served yet")
    raise invalid_value("unknown_value", f"must be one of {', '.join((*SERVED, *ALIASES))}")


def _to_industry(value: Any) -> str:
    if not isinstance(value, str) or not _INDUSTRY.fullmatch(value):
        raise invalid_value("format" if isinstance(value, str) else "type", INDUSTRY_REQUIREMENT)
    return value.replace(".", "")


def _to_threshold(value: Any) -> int:
    whole = to_whole_number(value)
    if isinstance(whole, bool) or whole not in THRESHOLDS:
        raise invalid_value("unknown_value", f"must be one of {', '.join(map(str, THRESHOLDS))}")
    return int(whole)


def _to_changed_field(value: Any) -> str:
    if isinstance(value, str) and value in CHANGED_FIELDS:
        return value
    shown = f"'{value[:SHOWN]}' is not a field that changes" if isinstance(value, str) else "must be a field"
    raise invalid_value("unknown_value", f"{shown}{did_you_mean(str(value), CHANGED_FIELDS)}")


def _to_percentage(value: float) -> float:
    """The number without a needless fraction; at most 4 decimals, so that it is compared exactly."""
    if Decimal(repr(value)).normalize().as_tuple().exponent < -PCT_DECIMALS:  # type: ignore[operator]
        raise invalid_value("format", f"must be a number from 0 to 100 with at most {PCT_DECIMALS} decimals")
    return int(value) if value.is_integer() else value


def _check_unequal(found: list[int] | None) -> list[int] | None:
    if found and len({*found}) < len(found):
        raise invalid_value("duplicate", "must have each threshold once")
    return found and sorted(found)


def _array_field(most: int, description: str, check: Any = lambda found: found and [*dict.fromkeys(found)]) -> Any:
    field = request_array_field(most, description, when_empty=_WHEN_EMPTY, default=None)
    return with_metadata(field, AfterValidator(check))


def schema(kind: str, description: str, **more: Any) -> WithJsonSchema:
    """The schema of a value that a validator of its own reads."""
    return WithJsonSchema({"type": kind, "description": description, **more})


_Country = Annotated[
    str,
    BeforeValidator(_to_country),
    unrepeated,
    schema("string", "A market, or an alias of one.", enum=[*SERVED, *ALIASES]),
]
_Industry = Annotated[
    str,
    BeforeValidator(_to_industry),
    unrepeated,
    schema("string", "The beginning of an industry code.", maxLength=7, pattern=f"^{INDUSTRY_CODE}$"),
]
_PERCENT: Final = {"minimum": min(THRESHOLDS), "maximum": max(THRESHOLDS), "enum": [*THRESHOLDS]}
_Threshold = Annotated[int, BeforeValidator(_to_threshold), schema("integer", "Percent.", format="int32", **_PERCENT)]
_ChangedField = Annotated[
    str,
    BeforeValidator(_to_changed_field),
    unrepeated,
    schema("string", "A field that changed.", enum=[*CHANGED_FIELDS]),
]
_Percentage = Annotated[
    float | None,
    with_metadata(
        Field(ge=0, le=_MOST_PCT, description=_MIN_CHANGE, json_schema_extra={"multipleOf": 0.0001}),
        Requirement(f"must be a number from 0 to 100 with at most {PCT_DECIMALS} decimals"),
        AfterValidator(lambda found: None if found is None else _to_percentage(found)),
    ),
]


_ServedThreshold = Annotated[
    int, declare.integer(min(THRESHOLDS), max(THRESHOLDS), "Percent.", json_schema_extra={"enum": [*THRESHOLDS]})
]
_ServedIndustry = Annotated[str, declare.text(6, "The beginning of a code, without dots.", pattern="^[0-9]{1,6}$")]


class RequestedOwnership(RequestModel):
    """Which changes of ownership pass; both must hold."""

    min_change_pct: _Percentage = None
    thresholds: list[_Threshold] | None = _array_field(len(THRESHOLDS), _CROSSED, _check_unequal)


class RequestedFilters(RequestModel):
    """Filters that an event must pass, all of them; null, or left out, is none."""

    countries: list[_Country] | None = _array_field(len(SERVED) + len(ALIASES), _COUNTRIES)
    industries: list[_Industry] | None = _array_field(_MOST_INDUSTRIES, _INDUSTRIES)
    industry_scheme: str | None = declare.word(INDUSTRY_SCHEMES, _SCHEME, default=None)
    is_listed: bool | None = declare.boolean(_LISTED, default=None)
    ownership: RequestedOwnership | None = with_metadata(
        Field(default=None, description=_OWNERSHIP), Requirement("must be an object")
    )
    changed_fields: list[_ChangedField] | None = _array_field(len(CHANGED_FIELDS), _FIELDS)
    watchlist_id: str | None = with_metadata(
        Field(default=None, max_length=30, pattern=declare.id_pattern("wl"), description=_WATCHLIST),
        Requirement("must be the id of a watchlist: wl_ and 26 characters"),
    )


class OwnershipFilter(ResponseModel):
    """Which changes of ownership pass."""

    min_change_pct: float = Field(default=OMITTED, ge=0, le=_MOST_PCT, description=_MIN_CHANGE)
    thresholds: list[_ServedThreshold] = declare.array(len(THRESHOLDS), _CROSSED, default=OMITTED)


class SubscriptionFilters(ResponseModel):
    """The filters that are set; an event must pass all of them."""

    countries: list[shared.Country] = declare.array(len(SERVED), _COUNTRIES, default=OMITTED)
    industries: list[_ServedIndustry] = declare.array(_MOST_INDUSTRIES, _INDUSTRIES, default=OMITTED)
    industry_scheme: str = declare.open_word(INDUSTRY_SCHEMES, _SCHEME, default=OMITTED)
    is_listed: bool = declare.boolean(_LISTED, default=OMITTED)
    ownership: OwnershipFilter = Field(default=OMITTED, description=_OWNERSHIP)
    changed_fields: list[shared.FieldName] = declare.array(len(CHANGED_FIELDS), _FIELDS, default=OMITTED)
    watchlist_id: str = declare.text(30, _WATCHLIST, pattern=declare.id_pattern("wl"), default=OMITTED)


def sent_filters(asked: RequestedFilters | None) -> dict[str, Any] | None:
    """The members that were sent, as a merge patch; None and an empty object are none."""
    if asked is None:
        return None
    members = sent_members(asked)
    if asked.ownership is not None:
        members["ownership"] = sent_members(asked.ownership)
    return members


def merged_filters(former: Filters | None, patch: Filters | None) -> Filters | None:
    """The filters after a merge patch (RFC 7396), but that an empty object is none; None: no filter at all."""
    if not patch:
        return None
    both: dict[str, Any] = {**(former or {}), **patch}
    if patch.get("ownership"):
        both["ownership"] = {**((former or {}).get("ownership") or {}), **patch["ownership"]}
    if both.get("ownership"):
        own = both["ownership"]
        both["ownership"] = {name: own[name] for name in RequestedOwnership.model_fields if own.get(name) is not None}
    kept = {name: both.get(name) for name in RequestedFilters.model_fields}
    return {name: value for name, value in kept.items() if value not in (None, {})} or None


def check_filters(filters: Filters | None, errors: ValidationErrors) -> None:
    """Adds the error of filters that contradict each other: codes that mean different things in different countries."""
    chosen = filters or {}
    is_open = "industries" in chosen and "industry_scheme" not in chosen
    if is_open and not has_one_classification(chosen.get("countries") or ()):
        detail = (
            "is required with industries over countries of more than one classification (the US and others), or name "
            "the countries"
        )
        errors.add("missing", detail, json_pointer("filters", "industry_scheme"))


TYPES_OF: Final = {
    "ownership": frozenset({"ownership.changed"}),
    "changed_fields": frozenset({"filing.updated", "company.changed"}),
}
"""The event types that a filter concerns, where not all."""
