"""Idempotency-Key: a repeated POST is executed once and gets the first response again.

See docs/contract/contract.md 4.12. The key is scoped to account, method and path, and bound to one body. The whole
response is stored, encrypted, for 24 hours. What an account stores is bounded: above the bound of refusals, which
executed nothing, they are judged again; above the bound of all, requests with a new key are refused. Does not belong
here: SQL (`api.http.idempotency_repository`), or the operation itself.
"""

import asyncio
import hashlib
import logging
import re
from collections.abc import Awaitable, Callable
from datetime import timedelta
from functools import wraps
from math import ceil
from typing import Final, ParamSpec

import msgspec
from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from api.common.redaction import redact
from api.http import idempotency_repository as requests
from api.http.context import RequestContext, current_request
from api.http.idempotency_repository import IdempotencyClaim, StoredResponse, StoredSize
from api.http.responses import HttpResponse, problem_response
from api.problems.problem import ProblemDetail, ProblemError, new_problem

KEPT: Final = timedelta(hours=24)
MAX_STORED: Final = StoredSize(10_000, 32 * 1024 * 1024)
"""What one account may have stored at a time: far above its limit of subscriptions, far below a full disk."""
MAX_WITH_REFUSALS: Final = StoredSize(1_000, 3 * 1024 * 1024)
"""Up to this much, refusals are stored as well: they cost a client no more than a request."""
ABANDONED: Final = timedelta(seconds=60)
"""A first request that takes longer has crashed: its key becomes free again."""

_LOGGER: Final = logging.getLogger("firm.api")
_NAME: Final = b"idempotency-key"
_BARE: Final = re.compile(rb"[\x20-\x7e]{1,255}")
_QUOTED: Final = re.compile(rb'"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"')
_ESCAPED: Final = re.compile(rb"\\(.)")
_KEPT_REFUSALS: Final = (404, 409, 412, 422)  # of requests whose validation began
_REPLAYED: Final = (b"idempotency-replayed", b"true")
_OPERATION: Final = re.compile(r"[\x21-\x7e]{1,190}")
_FIRST_REFUSED: Final = 400

P = ParamSpec("P")


class _SavedResponse(msgspec.Struct):
    headers: list[tuple[str, str]]
    body: str


def idempotent(handler: Callable[P, Awaitable[HttpResponse]]) -> Callable[P, Awaitable[HttpResponse]]:
    """Decorates the handler of a POST: a repeated key returns the stored response of the first request."""

    @wraps(handler)
    async def run_once(*arguments: P.args, **named: P.kwargs) -> HttpResponse:
        context = current_request()
        key = _idempotency_key(context)
        if key is None:
            return await handler(*arguments, **named)
        # not the request id, which a client may send twice
        claimed_by = context.services.ulid_generator.make("req")
        claim = IdempotencyClaim(
            context.account_id, _operation_name(context), _stored_key(key), _body_fingerprint(context), claimed_by
        )
        found = await _claim_key(context, claim)
        if found is not None:
            return _replay_response(context, claim, found)
        saved = False
        try:
            try:
                answer = await handler(*arguments, **named)
            except ProblemError as trouble:
                answer = problem_response(context, trouble)
            if answer.status < _FIRST_REFUSED or answer.status in _KEPT_REFUSALS:
                saved = await _save_response(context, claim, answer)
            return answer
        finally:
            if not saved:
                await _release_key(context, claim)

    return run_once


def _idempotency_key(call: RequestContext) -> str | None:
    """The key, bare or as a structured-field string; 400 if malformed."""
    given = [value for name, value in call.scope["headers"] if name == _NAME]
    if not given:
        return None
    text = given[0].strip(b" \t")
    quoted = _QUOTED.fullmatch(text)
    value = _ESCAPED.sub(rb"\1", quoted[1]) if quoted else text
    if len(given) > 1 or (text[:1] == b'"' and not quoted) or not _BARE.fullmatch(value):
        raise new_problem(
            "invalid_idempotency_key",
            "The key must be 1 to 255 printable ASCII characters.",
            ProblemDetail("format", "1 to 255 printable ASCII characters", header="Idempotency-Key"),
        )
    return value.decode()


def _stored_key(key: str) -> str:
    """The key as stored: one that contains a secret (an API key sent in the wrong header) is stored as its digest."""
    return key if redact(key) == key else hashlib.sha256(key.encode()).hexdigest()


def _operation_name(call: RequestContext) -> str:
    """Method and path; an unusual path (too long or not printable ASCII) is replaced by its digest."""
    path = call.scope["path"]
    if not _OPERATION.fullmatch(path):
        path = hashlib.sha256(path.encode("utf-8", "surrogateescape")).hexdigest()
    return f"{call.method} {path}"


def _body_fingerprint(call: RequestContext) -> bytes:
    return hashlib.sha256(msgspec.json.encode(call.json_body, order="deterministic")).digest()


async def _claim_key(call: RequestContext, claim: IdempotencyClaim) -> StoredResponse | None:
    """Claims the key; None on success, else the request that holds it. 429 if the account has stored too much."""
    now = call.services.clock.now()

    def claim_within_limit(connection: Connection) -> StoredResponse | None:
        found = requests.claim_key(connection, claim, now, now - KEPT, now - ABANDONED)
        if found is None:
            stored, oldest_at = requests.stored_by_account(connection, claim.account_id, now - KEPT)
            if stored.exceeds(MAX_STORED):
                raise _too_much_stored(oldest_at + KEPT - now)  # which takes the claim back
        return found

    return await call.services.control_database.write(claim_within_limit)


def _too_much_stored(wait: timedelta) -> ProblemError:
    seconds = max(1, ceil(wait.total_seconds()))
    detail = (
        f"Too many responses are stored for Idempotency-Keys of the last 24 hours. Try again in {seconds} seconds, or "
        "send the request without a key."
    )
    headers = [(b"retry-after", b"%d" % seconds)]
    members = {"violated-policies": ["idempotency"], "retry_after": seconds}
    return new_problem("rate_limited", detail, headers=headers, **members)


def _replay_response(call: RequestContext, claim: IdempotencyClaim, found: StoredResponse) -> HttpResponse:
    if found.fingerprint != claim.fingerprint:
        raise new_problem("idempotency_key_reused", "Use a new key for a different request.")
    if found.status is None or found.response_body is None:
        raise new_problem(
            "idempotency_in_progress",
            "A request with the same Idempotency-Key is being processed.",
            headers=[(b"retry-after", b"1")],
        )
    saved = msgspec.json.decode(call.services.secret_box.open(found.response_body), type=_SavedResponse)
    headers = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in saved.headers]
    return HttpResponse(found.status, [*headers, _REPLAYED], saved.body.encode())


async def _save_response(call: RequestContext, claim: IdempotencyClaim, answer: HttpResponse) -> bool:
    """Stores the response, a refusal only if there is room; False if it is not stored for that reason.

    If storing fails, the response is still returned: the operation has been executed.
    """
    headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in answer.headers]
    sealed = call.services.secret_box.seal(msgspec.json.encode(_SavedResponse(headers, answer.body.decode())).decode())
    since = call.services.clock.now() - KEPT

    def finish_within_limit(connection: Connection) -> bool:
        if answer.status >= _FIRST_REFUSED:
            stored, _ = requests.stored_by_account(connection, claim.account_id, since)
            if stored.with_bytes(len(sealed)).exceeds(MAX_WITH_REFUSALS):
                return False
        requests.finish_claim(connection, claim, answer.status, sealed)
        return True

    try:
        return await call.services.control_database.write(finish_within_limit)
    except (SQLAlchemyError, ProblemError):
        _LOGGER.warning("a response could not be stored for its Idempotency-Key", exc_info=True)
    return True


async def _release_key(call: RequestContext, claim: IdempotencyClaim) -> None:
    """Frees the key for a retry, as nothing was executed. If this fails it becomes free after a minute."""
    try:
        await asyncio.shield(call.services.control_database.write(requests.release_claim, claim))
    except (SQLAlchemyError, ProblemError):
        _LOGGER.warning("an Idempotency-Key could not be released", exc_info=True)
