"""Webhook subscriptions: create, list, get, update, delete; rotate secrets; send tests.

See docs/contract/contract.md 4.8.
"""

from collections.abc import Sequence
from typing import Any

import msgspec

from api.answers import Answer, Header, plain_answer
from api.bodies import Body
from api.call import Call
from api.db.subscription_records import SubscriptionRecord
from api.endpoints import endpoint
from api.media import MERGE_PATCH_TYPES
from api.pages import after, own_page_answer
from api.pagination import Binding, filter_hash
from api.parameters import NO_PARAMETERS
from api.queries import LIMIT, SUBSCRIPTION_STATUS, SUBSCRIPTIONS
from api.stamps import NO_STORE, VARY
from api.webhooks import log, shown, test_send, validation
from api.webhooks.subscriptions import Owner

_ALL = "/api/v1/webhooks"
_ONE = f"{_ALL}/{{id:str}}"
_COMPANIES_LIMIT = 1 << 20  # 10,000 entity_ids exceed the default body limit


@endpoint(_ALL, method="POST", body=Body(_COMPANIES_LIMIT), secret_only=True, needs_webhooks=True)
async def create_webhook(call: Call) -> Answer:
    NO_PARAMETERS.read(call.query)
    made = await call.service.subscriptions.create(_owner(call), call.body)
    more = {"secret": made.secret, "warnings": [warned.members() for warned in made.warnings]}
    location = f"{_ALL}/{made.record.subscription_id}"
    return _answer(call, 201, made.record, more, [(b"location", location.encode())])


@endpoint(_ALL, secret_only=True)
async def list_webhooks(call: Call) -> Answer:
    values = SUBSCRIPTIONS.read(call.query)
    binding = Binding(call.account_id, "webhooks", filter_hash(values.filters()), "desc")
    key, limit = after(call, values, binding), values[LIMIT]
    before = None if key is None else str(key[0])
    found = await call.service.subscriptions.page(
        call.account_id, values[SUBSCRIPTION_STATUS], before, limit + 1
    )
    page, now = found[:limit], call.service.clock.now()
    following = None
    if len(found) > limit:
        following = call.service.cursors.issue(binding, (page[-1].subscription_id,))
    rows = [msgspec.json.encode(shown.subscription(record, now)) for record in page]
    return own_page_answer(call, rows, following)


@endpoint(_ONE, secret_only=True)
async def get_webhook(call: Call) -> Answer:
    NO_PARAMETERS.read(call.query)
    record = await call.service.subscriptions.get(call.account_id, call.places["id"])
    return _answer(call, 200, record)


@endpoint(_ONE, method="PATCH", body=Body(_COMPANIES_LIMIT, media_types=MERGE_PATCH_TYPES), secret_only=True)
async def update_webhook(call: Call) -> Answer:
    NO_PARAMETERS.read(call.query)
    changed = await call.service.subscriptions.change(
        _owner(call), call.places["id"], call.body, call.incoming.get(b"if-match")
    )
    warnings = [warned.members() for warned in changed.warnings]
    return _answer(call, 200, changed.record, {"warnings": warnings})


@endpoint(_ONE, method="DELETE", secret_only=True)
async def delete_webhook(call: Call) -> Answer:
    NO_PARAMETERS.read(call.query)
    await call.service.subscriptions.remove(
        call.account_id, call.places["id"], call.incoming.get(b"if-match")
    )
    return Answer(204, [NO_STORE, VARY], b"")


@endpoint(
    f"{_ONE}/secret/rotate",
    method="POST",
    body=Body(is_optional=True),
    secret_only=True,
    needs_webhooks=True,
)
async def rotate_webhook_secret(call: Call) -> Answer:
    NO_PARAMETERS.read(call.query)
    made = await call.service.subscriptions.rotate(call.account_id, call.places["id"], call.body)
    now = call.service.clock.now()
    told = {
        "id": made.record.subscription_id,
        "secret": made.secret,
        "secret_hint": made.record.secret_hint,
        "previous_secret_expires_at": shown.instant(shown.live_previous(made.record, now)),
    }
    return plain_answer(200, msgspec.json.encode(told))


@endpoint(f"{_ONE}/test", method="POST", body=Body(is_optional=True), secret_only=True, needs_webhooks=True)
async def test_webhook(call: Call) -> Answer:
    NO_PARAMETERS.read(call.query)
    service, event_type = call.service, validation.test_type(call.body)
    record = await service.subscriptions.get(call.account_id, call.places["id"])
    service.limits.check_test(record.subscription_id, call.started)
    secrets = service.subscriptions.secrets(record)
    attempt = await test_send.sent(
        service.sender, record, secrets, event_type, service.ulids, service.clock.now()
    )
    return plain_answer(200, msgspec.json.encode(log.attempt(attempt)))


def _owner(call: Call) -> Owner:
    return Owner(call.account_id, call.known_caller.meter.tier)


def _answer(
    call: Call,
    status: int,
    record: SubscriptionRecord,
    more: dict[str, Any] | None = None,
    extra: Sequence[Header] = (),
) -> Answer:
    """Response with a subscription and its strong ETag."""
    body = msgspec.json.encode(shown.subscription(record, call.service.clock.now()) | (more or {}))
    return plain_answer(status, body, [(b"etag", b'"%d"' % record.revision), *extra])
