"""Access control: the checks before each handler under /api/v1, in the contract's order (4.10).

Litestar resolves route and method first. Then: key in the URL → authentication → kind and origin of the key →
account → burst → quota → media types. The burst token is taken as soon as the caller is known, so every
authenticated request spends one, whatever the response. Syntax, validation, existence and state are checked by
the routes. Does not belong here: how any one check works.
"""

import re
from typing import Final
from urllib.parse import unquote_to_bytes

from api.auth.allowed_origins import is_allowed_origin, parse_origin
from api.common.redaction import redact
from api.http.authenticator import Caller, basic_as_bearer
from api.http.content_negotiation import check_accept, check_body
from api.http.context import IN_PROCESS_CALLER, READS, RequestContext
from api.http.json_body import BodyPolicy
from api.problems.problem import ProblemError, new_problem
from api.settings.billing import PLAN
from api.settings.tiers import TierCatalogue, TierFeature

_UNAUTHENTICATED: Final = 401
_NO_BODY: Final = BodyPolicy()  # what is tolerated by routes that take none
_FEATURES: Final[dict[TierFeature, str]] = {
    "webhooks": "Webhooks",
    "all_events": "Events of all companies",
    "exports": "Bulk files",
}
_KEY_IN_URL: Final = re.compile(
    rb"firm_(?:live|secret|public)_[0-9A-Za-z]|(?:^|&)(?:api_?key|access_token)=", re.IGNORECASE
)


async def authorize(context: RequestContext) -> None:
    """Runs all checks for a non-public handler and sets the caller."""
    check_url(context.scope["raw_path"], context.query_string)
    service = context.services
    caller: Caller = context.scope.get(IN_PROCESS_CALLER) or await _caller_of_key(context)
    limits, meter = service.rate_limiter, caller.account_limits
    context.caller = caller
    if caller.kind == "public":
        context.tokens_left = limits.take_visitor_token(meter, caller.key_id, context.client_ip, context.started_at)
        check_origin(context, caller)
    else:
        context.tokens_left = limits.take_account_token(meter, context.started_at)
    if caller.account_status != "active":
        check_account(context, caller)
    if context.tokens_left < 0:
        raise limits.rate_limit_problem(meter, context.tokens_left)
    if context.route_policy.is_counted:
        if meter.count.used + meter.in_flight >= meter.allowed:
            limits.check_quota(meter)
        meter.in_flight += 1
        context.is_reserved = True
    check_accept(context.request_headers.get(b"accept"), context.route_policy.media_type)
    body = context.route_policy.body or _NO_BODY
    check_body(context.request_headers, body.limit, body.media_types)
    if context.route_policy.required_feature is not None:
        check_tier(context, caller, context.route_policy.required_feature)


async def _caller_of_key(context: RequestContext) -> Caller:
    authorization = context.request_headers.get(b"authorization")
    if context.route_policy.accepts_basic:
        authorization = basic_as_bearer(authorization)
    return context.services.authenticator.cached_caller(authorization) or await authenticate(context, authorization)


async def authenticate(context: RequestContext, authorization: bytes | None) -> Caller:
    """Authenticates a key by a look-up.

    Addresses that fail too often are rate-limited, except with a key that has worked here before. Concurrent
    requests with the same key share the first one's look-up; the others take a failure token afterwards, and
    only if the key was wrong. If keys cannot be looked up, a key that is new here still spends its token, to
    spare the failing database.
    """
    service = context.services
    if service.authenticator.has_authenticated_before(authorization) or service.authenticator.is_looking_up(
        authorization
    ):
        try:
            return await service.authenticator.authenticate_key(authorization)
        except ProblemError as trouble:
            if trouble.status == _UNAUTHENTICATED:
                service.rate_limiter.count_failed_authentication(context.client_ip, context.started_at)
            raise
    service.rate_limiter.check_failed_authentications(context.client_ip, context.started_at)
    caller = await service.authenticator.authenticate_key(authorization)
    service.rate_limiter.reset_failed_authentications(context.client_ip, context.started_at)
    return caller


def check_url(raw_path: bytes, query: bytes) -> None:
    """Rejects a URL that contains a key, before the key is checked: URLs are logged everywhere."""
    may_be_in_path = b"%" in raw_path or b"firm" in raw_path.lower()
    if (query and _contains_key(query)) or (may_be_in_path and _contains_key(raw_path)):
        raise new_problem("api_key_in_url", "Send the key in the Authorization header and rotate it; URLs are logged.")


def _contains_key(written: bytes) -> bool:
    return _KEY_IN_URL.search(unquote_to_bytes(written) if b"%" in written else written) is not None


def check_origin(context: RequestContext, caller: Caller) -> None:
    """Restricts publishable keys to reading company data, from pages on their domains."""
    if context.method not in READS or context.route_policy.is_secret_key_only:
        raise new_problem(
            "key_kind_not_allowed", "Publishable keys may only read company data.", required_key_kind="secret"
        )
    named = context.request_headers.get(b"origin") or context.request_headers.get(b"referer")
    if named is None:
        raise new_problem(
            "origin_required",
            "Publishable keys work only from a browser page on an allowed domain. On a server use a secret key.",
        )
    text = named.decode("latin-1")
    origin = parse_origin(text)
    if origin is None or not is_allowed_origin(origin, caller.domains):
        raise new_problem("origin_not_allowed", f"'{redact(text)[:200]}' is not in this key's allowed domains.")


def check_account(context: RequestContext, caller: Caller) -> None:
    if caller.account_status == "suspended":
        raise new_problem("account_suspended", "Contact support.")
    if caller.account_status == "payment_required":
        plan = context.services.settings.public_url + PLAN
        raise new_problem(
            "payment_required", f"There is no active trial and no successful payment. Choose a plan or pay at {plan}."
        )


def check_tier(context: RequestContext, caller: Caller, feature: TierFeature) -> None:
    """Rejects tiers without a feature (docs/contract/keys-and-limits.md 3.3)."""
    tier = caller.account_limits.tier
    if not getattr(tier, feature):
        raise tier_required(context.services.settings.tiers, tier.name, feature)


def tier_required(tiers: TierCatalogue, tier: str, feature: TierFeature = "webhooks") -> ProblemError:
    """403 for a tier without a feature; names the tiers that have it."""
    wanted = [name for name, one in tiers.by_name.items() if getattr(one, feature)]
    shown = " or ".join(name.capitalize() for name in wanted)
    return new_problem(
        "tier_required",
        f"{_FEATURES[feature]} need the {shown} tier; this account has '{tier}'.",
        required_tiers=wanted,
        current_tier=tier,
    )
