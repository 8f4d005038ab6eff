"""Patterns for all accepted spellings of a company number.

See docs/contract/contract.md «Company identifiers». A request that matches one is never malformed. Does not
belong here: one market's formats (`connectors/<cc>/market.toml`), or parsing (`warehouse.schema.identifiers`).
"""

from collections.abc import Iterable
from typing import Final

from warehouse.schema.identifiers import BY_FORM, PREFIX
from warehouse.schema.markets import Market


def _group(alternatives: str) -> str:
    return f"({alternatives})" if "|" in alternatives else alternatives


def _full_id(market: Market) -> str:
    number = market.number.published_scoped or market.number.scoped_pattern
    return f"{_group('|'.join(market.codes))}:{_group(number)}"


def _any_of(numbers: Iterable[str | None]) -> str:
    return f"^({'|'.join((*filter(None, numbers), _IDS))})$"


_IDS: Final = f"{PREFIX}:({'|'.join(map(_full_id, BY_FORM))})"
_SERVED: Final = [market.number for market in BY_FORM if market.state == "served"]

ANY_NUMBER: Final = _any_of(number.published_bare or number.bare for number in _SERVED)
"""A number that identifies its market by its form, or a full id."""

NUMBER_IN_MARKET: Final = _any_of(
    number.scoped_pattern if number.published_scoped is None else number.published_scoped for number in _SERVED
)
"""Accepted if the path contains the market."""
