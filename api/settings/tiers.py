"""Tiers: the limits of accounts, and the limits per client address; all of it is configuration.

See docs/contract/keys-and-limits.md 3.3. `DEFAULT` is the contract's table; an operator overrides it with a
file of this form (FIRM_TIERS, TOML or JSON). Omitted members keep their default, and new tiers may be added:

    [tiers.pro]
    monthly_requests = 60000
    burst_per_second = 25
    burst_capacity = 50
    webhooks = true
    subscriptions = 10
    entity_ids = 1000
    all_events = true
    exports = true
    event_streams = 2
    watchlist_companies = 10000
    monthly_cents = 14900

    [clients]
    failed_authentications_per_second = 10
    publishable_key_requests_per_second = 5

Does not belong here: counting (`api.rate_limits.limiter`, `api.usage.counter`).
"""

import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from math import ceil
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Literal, get_type_hints

_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,19}")
_MOST: Final = 10**12  # far below the largest integer of a structured field
_FASTEST: Final = 10**6

TierFeature = Literal["webhooks", "all_events", "exports"]
"""What only some tiers include, as a member of `Tier`."""


class TiersError(ValueError):
    """The tiers file is invalid; the message contains the file, the member and the requirement."""


@dataclass(frozen=True, slots=True)
class Tier:
    """The limits of accounts on this tier."""

    name: str
    monthly_requests: int
    burst_per_second: int
    burst_capacity: int
    webhooks: bool = False
    subscriptions: int = 0
    entity_ids: int = 0
    all_events: bool = False
    """Whether accounts may read the events of all companies."""
    exports: bool = False
    """Whether accounts may download bulk files."""
    event_streams: int = 0
    """Open streams of these events, at most."""
    watchlist_companies: int = 0
    """Companies on all watchlists of the account."""
    monthly_cents: int | None = None
    """Price of a month in US cents; None where none is published. What is charged is Stripe's.

    See docs/contract/keys-and-limits.md 3.3.
    """

    @property
    def burst_seconds(self) -> int:
        """The window of the burst policy: seconds until an empty bucket is full."""
        return ceil(self.burst_capacity / self.burst_per_second)


@dataclass(frozen=True, slots=True)
class ClientLimits:
    """Limits per client address, in addition to those of accounts; a bucket holds one second's worth."""

    failed_authentications_per_second: int = 10
    publishable_key_requests_per_second: int = 5
    """Per publishable key and address."""


_TABLE: Final = (
    Tier("basic", 1_200, 5, 10, watchlist_companies=100, monthly_cents=900),
    Tier("starter", 10_000, 10, 20, watchlist_companies=1_000),
    Tier(
        "pro",
        60_000,
        25,
        50,
        webhooks=True,
        subscriptions=10,
        entity_ids=1_000,
        watchlist_companies=10_000,
        all_events=True,
        event_streams=2,
        monthly_cents=14_900,
    ),
    Tier(
        "business",
        400_000,
        50,
        100,
        webhooks=True,
        subscriptions=50,
        entity_ids=10_000,
        watchlist_companies=100_000,
        all_events=True,
        exports=True,
        event_streams=10,
    ),
)


def _by_name() -> Mapping[str, Tier]:
    return MappingProxyType({tier.name: tier for tier in _TABLE})


@dataclass(frozen=True, slots=True)
class TierCatalogue:
    """All tiers by name, smallest first, and the limits per client address."""

    by_name: Mapping[str, Tier] = field(default_factory=_by_name)
    clients: ClientLimits = ClientLimits()

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.by_name)

    def tier_by_name(self, name: str) -> Tier:
        """The tier of that name; `most_generous` if the file no longer has it."""
        return self.by_name.get(name) or self.most_generous

    @property
    def most_generous(self) -> Tier:
        """Fallback for accounts on a tier that was removed: they have paid for something, so they are served."""
        return max(self.by_name.values(), key=lambda tier: tier.monthly_requests)


DEFAULT: Final = TierCatalogue()


def load_tiers(path: Path) -> TierCatalogue:
    """The tiers with the changes of the file at `path` (JSON by its suffix, else TOML)."""
    try:
        text = path.read_text(encoding="utf-8")
        document = json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
    except OSError as error:
        raise TiersError(f"{path} cannot be read ({error.strerror}): set the path of a readable tiers file") from None
    except ValueError as error:  # errors of both parsers, and text that is not UTF-8
        raise TiersError(f"{path} is not {'JSON' if path.suffix == '.json' else 'TOML'}: {error}") from None
    try:
        return read_tiers(document)
    except TiersError as error:
        raise TiersError(f"{path}: {error}") from None


def read_tiers(document: Any) -> TierCatalogue:
    """The defaults with the changes of `document`."""
    whole = _check_table("the file", document, ("tiers", "clients"))
    changed = _check_table("tiers", whole.get("tiers", {}))
    tiers = dict(DEFAULT.by_name)
    for name, members in changed.items():
        tiers[name] = _parse_tier(name, members, tiers.get(name))
    clients = _check_table("clients", whole.get("clients", {}), [one.name for one in fields(ClientLimits)])
    for name, value in clients.items():
        _check_bounds(f"clients.{name}", value, int, 1, _FASTEST)
    return TierCatalogue(MappingProxyType(tiers), ClientLimits(**clients))


def _parse_tier(name: str, members: Any, former: Tier | None) -> Tier:
    if not _NAME.fullmatch(name):
        raise TiersError(f"tiers.{name}: a name is at most 20 lower-case letters, digits and underscores")
    given = _check_table(f"tiers.{name}", members, list(_BOUNDS))
    values: dict[str, Any] = (asdict(former) if former else {"name": name}) | given
    for member, (low, high) in _BOUNDS.items():
        if member in given:
            _check_bounds(f"tiers.{name}.{member}", given[member], _KINDS[member], low, high)
        elif member in _NEEDED and former is None:
            raise TiersError(f"tiers.{name}.{member} is missing: a new tier needs {', '.join(_NEEDED)}")
    tier = Tier(**values)
    for limit, feature in (("subscriptions", "webhooks"), ("event_streams", "all_events")):
        if getattr(tier, limit) and not getattr(tier, feature):
            raise TiersError(f"tiers.{name}.{limit} must be 0 where {feature} is false")
    return tier


_NEEDED: Final = ("monthly_requests", "burst_per_second", "burst_capacity")
_BOUNDS: Final = {
    "monthly_requests": (1, _MOST),
    "burst_per_second": (1, _FASTEST),
    "burst_capacity": (1, _FASTEST),
    "webhooks": (0, 1),
    "subscriptions": (0, 100_000),
    "entity_ids": (0, 10_000),
    "all_events": (0, 1),
    "exports": (0, 1),
    "event_streams": (0, 1_000),
    "watchlist_companies": (0, 10_000_000),
    "monthly_cents": (0, _MOST),
}
_KINDS: Final = get_type_hints(Tier) | {"monthly_cents": int}
_WORDS: Final = {bool: "true or false", int: "a whole number"}


def _check_table(where: str, value: Any, allowed: Any = None) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise TiersError(f"{where} must be a table, not {value!r}")
    for name in value:
        if allowed is not None and name not in allowed:
            raise TiersError(f"{where} has no member {name!r}; it may have {', '.join(allowed)}")
    return value


def _check_bounds(where: str, value: Any, kind: type, low: int, high: int) -> None:
    """Checks type and bounds; true and false are not numbers."""
    if type(value) is not kind:
        raise TiersError(f"{where} must be {_WORDS[kind]}, not {value!r}")
    if not low <= value <= high:
        raise TiersError(f"{where} must be from {low} to {high}, not {value!r}")
