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
from api.http.authenticator import Caller
from api.http.content_negotiation import check_accept, check_body
from api.http.context import READS, RequestContext
from api.problems.problem import ProblemError, new_problem
from api.settings.billing import PLAN
from api.settings.tiers import TierCatalogue

_UNAUTHENTICATED: Final = 401
_KEY_IN_URL: Final = re.compile(
    rb"firm_(?:live|secret|public)_[0-9A-Za-z]|(?:^|&)(?:api_?key|access_token)=", re.IGNORECASE
)


async def authorize(call: RequestContext) -> None:
    """Runs all checks for a non-public handler and sets the caller."""
    check_url(call.scope["raw_path"], call.query)
    service, authorization = call.service, call.incoming.get(b"authorization")
    caller = service.authenticator.known(authorization) or await authenticate(call, authorization)
    limits, meter = service.limits, caller.meter
    call.caller = caller
    if caller.kind == "public":
        call.left = limits.visit(meter, caller.key_id, call.client, call.started)
        check_origin(call, caller)
    else:
        call.left = limits.enter(meter, call.started)
    if caller.account_status != "active":
        check_account(call, caller)
    if call.left < 0:
        raise limits.too_fast(meter, call.left)
    if meter.count.used >= meter.allowed and call.route.counted:
        limits.check_quota(meter)
    check_accept(call.incoming.get(b"accept"))
    body = call.route.body
    check_body(call.incoming, body.limit, body.media_types)
    if call.route.needs_webhooks:
        check_tier(call, caller)


async def authenticate(call: RequestContext, authorization: bytes | None) -> Caller:
    """Authenticates a key by a look-up.

    Addresses that fail too often are rate-limited, except with a key that has worked here before. Concurrent
    requests with the same key share the first one's look-up; the others take a failure token afterwards, and
    only if the key was wrong. If keys cannot be looked up, a key that is new here still spends its token, to
    spare the failing database.
    """
    service = call.service
    if service.authenticator.has_met(authorization) or service.authenticator.is_asking(authorization):
        try:
            return await service.authenticator.caller(authorization)
        except ProblemError as trouble:
            if trouble.status == _UNAUTHENTICATED:
                service.limits.blame_client(call.client, call.started)
            raise
    service.limits.try_client(call.client, call.started)
    caller = await service.authenticator.caller(authorization)
    service.limits.forgive_client(call.client, call.started)
    return caller


def check_url(raw_path: bytes, query: bytes) -> None:
    """Rejects a URL that contains a key, before the key is checked: URLs are logged everywhere."""
    if (query and _contains_key(query)) or (_may_contain_key(raw_path) and _contains_key(raw_path)):
        raise new_problem(
            "api_key_in_url", "Send the key in the Authorization header and rotate it; URLs are logged."
        )


def _may_contain_key(raw_path: bytes) -> bool:
    return b"%" in raw_path or b"firm" in raw_path.lower()


def _contains_key(written: bytes) -> bool:
    return _KEY_IN_URL.search(unquote_to_bytes(written) if b"%" in written else written) is not None


def check_origin(call: RequestContext, caller: Caller) -> None:
    """Restricts publishable keys to reading company data, from pages on their domains."""
    if call.method not in READS or call.route.secret_only:
        raise new_problem(
            "key_kind_not_allowed", "Publishable keys may only read company data.", required_key_kind="secret"
        )
    named = call.incoming.get(b"origin") or call.incoming.get(b"referer")
    if named is None:
        raise new_problem(
            "origin_required",
            "Publishable keys work only from a browser page on an allowed domain. "
            "On a server use a secret key.",
        )
    text = named.decode("latin-1")
    origin = parse_origin(text)
    if origin is None or not is_allowed_origin(origin, caller.domains):
        raise new_problem("origin_not_allowed", f"'{text[:200]}' is not in this key's allowed domains.")


def check_account(call: RequestContext, caller: Caller) -> None:
    if caller.account_status == "suspended":
        raise new_problem("account_suspended", "Contact support.")
    if caller.account_status == "payment_required":
        plan = call.service.settings.public_url + PLAN
        raise new_problem(
            "payment_required",
            f"There is no active trial and no successful payment. Choose a plan or pay at {plan}.",
        )


def check_tier(call: RequestContext, caller: Caller) -> None:
    """Rejects tiers without webhooks (docs/contract/keys-and-limits.md 3.3)."""
    tier = caller.meter.tier
    if not tier.webhooks:
        raise tier_required(call.service.settings.tiers, tier.name)


def tier_required(tiers: TierCatalogue, tier: str) -> ProblemError:
    """403 for a tier without webhooks; names the tiers that have them."""
    wanted = [name for name, one in tiers.by_name.items() if one.webhooks]
    shown = " or ".join(name.capitalize() for name in wanted)
    return new_problem(
        "tier_required",
        f"Webhooks need the {shown} tier; this account has '{tier}'.",
        required_tiers=wanted,
        current_tier=tier,
    )
