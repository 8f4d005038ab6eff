"""Resolves a company number in a path: every accepted spelling, and the error if there is no such company.

The patterns of all spellings are published: a request that matches one is never malformed (docs/contract/contract.md
«Company identifiers»). Does not belong here: the spellings themselves (`warehouse.schema.identifiers`), or one
market's formats (`connectors/<cc>/market.toml`).
"""

from collections.abc import Iterable
from typing import Final

from api.http.context import RequestContext
from api.http.responses import Header
from api.problems.problem import ProblemDetail, ProblemError, new_problem
from warehouse.reader.reader import PinnedRelease
from warehouse.reader.types import CompanyHeader
from warehouse.schema.codes import ALIASES, SERVED
from warehouse.schema.identifiers import (
    BY_FORM,
    PREFIX,
    CompanyNumber,
    market_of_bare_number,
    parse_company_number,
    parse_scoped,
)
from warehouse.schema.markets import MARKETS, Market

COMPANIES: Final = "/api/v1/companies"
_MARKETS: Final = {name.lower(): code for name, code in ({code: code for code in SERVED} | ALIASES).items()}
_ANNOUNCED: Final = {code.lower(): code for code in MARKETS if code not in SERVED}
_ORG_NUMBER: Final = "org_number"
_SHOWN: Final = 60
_LONGEST: Final = 40  # no accepted spelling is longer


def number_from_path(text: str, parameter: str = _ORG_NUMBER) -> CompanyNumber:
    """Parses `{org_number}` or `{company_id}` in a path without a market, or another parameter that has one."""
    found = parse_company_number(text) if len(text) <= _LONGEST else None
    if found is None:
        raise _invalid_number_problem(text, "does not match the number format of any supported market", parameter)
    if found.market not in SERVED:
        raise _announced_market_problem(found.market)
    return found


def market_from_path(text: str) -> str:
    """Parses the market code of `{market}`."""
    if text in _ANNOUNCED:
        raise _announced_market_problem(_ANNOUNCED[text])
    if text not in _MARKETS:
        served = ", ".join(SERVED).lower()
        raise new_problem("unknown_market", f"'{text[:_SHOWN]}' is not a market. Markets: {served}.")
    return _MARKETS[text]


def number_in_market(market: str, text: str) -> CompanyNumber:
    """Parses a number in a path with a market: also accepts bare CIK, short UK digits and FI without hyphen."""
    short = len(text) <= _LONGEST
    found = parse_scoped(market, text) if short and ":" not in text else None
    if found is not None:
        return found
    elsewhere = parse_company_number(text) if short else None
    if elsewhere is None:
        raise _invalid_number_problem(text, f"does not match a number format of the market {market.lower()}")
    if elsewhere.market != market:
        raise company_not_found(elsewhere, "wrong_market")
    return elsewhere


def company_not_found(number: CompanyNumber, reason: str | None = None) -> ProblemError:
    """404 with the most helpful reason."""
    if reason is None:
        reason = "not_found" if number.has_valid_check_digit else "check_digit_mismatch"
    why = {
        "not_found": f"No company {number.org_number} is known.",
        "check_digit_mismatch": f"No company {number.org_number} is known; its check digit is wrong.",
        "wrong_market": f"{number.org_number} is a number of the market {number.market.lower()}.",
    }
    return new_problem("company_not_found", why[reason], reason=reason)


def require_head(snapshot: PinnedRelease, number: CompanyNumber) -> CompanyHeader:
    """Top-level company fields of a list response; 404 if the release has no such company."""
    head = snapshot.company_header(number.company_id)
    if head is None:
        raise company_not_found(number)
    return head


def content_location(context: RequestContext, number: CompanyNumber, below: str = "") -> list[Header]:
    """Content-Location header, if the requested path is not the canonical one."""
    canonical = f"{COMPANIES}/{number.org_number}{below}"
    if context.path == canonical:
        return []
    return [(b"content-location", canonical.encode() + (b"?" + context.query_string if context.query_string else b""))]


def _announced_market_problem(market: str) -> ProblemError:
    return new_problem(
        "market_not_available",
        f"{MARKETS[market].name} ({market.lower()}) is announced but not served yet.",
        status=404,
    )


def _invalid_number_problem(text: str, why: str, parameter: str = _ORG_NUMBER) -> ProblemError:
    market = market_of_bare_number(text)
    if market is not None:  # has the form of a number but is not valid
        return company_not_found(CompanyNumber(market, MARKETS[market].number.canonical(text)))
    return new_problem(
        "invalid_org_number",
        f"'{text[:_SHOWN]}' {why}.",
        ProblemDetail("format", "see /problems/invalid-org-number for the formats", parameter=parameter),
    )


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
