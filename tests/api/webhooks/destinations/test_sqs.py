"""Delivery to queues of moto's: what a consumer receives, and what every refusal is called (contract 4.8f)."""

import json
from typing import Any

import pytest
from standardwebhooks import Webhook
from standardwebhooks.webhooks import WebhookVerificationError

from api.webhooks.egress.signing import hex_signature, make_secret
from tests.api.fixtures.amazon import THROTTLED_QUEUE, Amazon
from tests.api.fixtures.delivery_engine import NOON, ONE, Control, exhaust, sender, through
from tests.api.webhooks.destinations.conftest import KEY, Subscribe

pytestmark = pytest.mark.anyio


async def attempted(control: Control, lane: str, **event: Any) -> Any:
    """The log's row of one attempt."""
    [delivery] = control.deliver(lane, **event)
    await exhaust(control.worker(sender()))
    [attempt] = control.attempts(delivery)
    return attempt


def attributes(message: Any) -> dict[str, str]:
    return {name: one["StringValue"] for name, one in message.message_attributes.items()}


async def test_a_message_is_the_signed_event(control: Control, subscribe: Subscribe, aws: Amazon) -> None:
    secret, key = make_secret(), aws.key("sender", "sqs")
    lane = subscribe(aws.queue("events"), key, secret_text=secret)
    with aws.checks_keys():
        attempt = await attempted(control, lane)
    assert (attempt.outcome, attempt.error, attempt.response_status) == ("succeeded", None, 200), attempt.response_body
    assert attempt.request_url == f"{aws.endpoint}/123456789012/events"
    [message] = aws.messages("events")
    body, headers = message.body.encode(), attributes(message)
    assert json.loads(body) == {
        "event_id": f"evt_{1:026d}",
        "event_type": "status.changed",
        "delivered_at": "2026-11-20T12:00:00.000Z",
        "data": {"company_id": ONE, "name": "Eksempel Æ", "sequence": 1},
    }
    assert headers == {
        "Content-Type": "application/json",
        "X-Service-Signature": hex_signature(secret, body),
        "webhook-id": f"evt_{1:026d}",
        "webhook-timestamp": str(int(NOON.timestamp())),
        "webhook-signature": headers["webhook-signature"],
        "X-Service-Event": "status.changed",
        "X-Service-Delivery": attempt.delivery_id,
        "X-Service-Attempt": "1",
    }
    verifier = Webhook(secret)
    fresh = headers | {"webhook-timestamp": headers["webhook-timestamp"]}
    assert verifier.sign(headers["webhook-id"], NOON, body.decode()) == headers["webhook-signature"]
    with pytest.raises(WebhookVerificationError):
        verifier.verify(body + b" ", fresh)


async def test_a_fifo_queue_groups_by_company_and_drops_what_is_repeated(
    control: Control, subscribe: Subscribe, aws: Amazon
) -> None:
    lane = subscribe(aws.queue("ordered.fifo", FifoQueue="true"))
    [delivery, *_] = control.deliver(lane, count=3)
    worker = control.worker(sender())
    await exhaust(worker)
    control.retry(lane, delivery)
    await exhaust(worker)
    sent = aws.messages("ordered.fifo")
    assert {one.group_id for one in sent} == {ONE}
    assert sorted(one.deduplication_id for one in sent) == [f"evt_{n:026d}" for n in (1, 2, 3)]
    assert [row.outcome for row in control.attempts(delivery)] == ["succeeded", "succeeded"]


WRONG = {
    "unknown-key": ("access_denied", "The queue denied access: check the access key and its policy"),
    "wrong-secret": ("access_denied", "The queue denied access: check the access key and its policy"),
    "no-policy": ("access_denied", "The queue denied access: check the access key and its policy"),
    "no-queue": ("destination_not_found", "There is no such queue"),
    "throttled": ("throttled", "The queue takes no more requests for the moment"),
    "too-small": ("message_too_large", "The event exceeds the maximum message size of the queue"),
}


@pytest.mark.parametrize("wrong", WRONG)
async def test_every_refusal_has_a_name(control: Control, subscribe: Subscribe, aws: Amazon, wrong: str) -> None:
    place = aws.queue(wrong, **({"MaximumMessageSize": "1024"} if wrong == "too-small" else {}))
    key = KEY if wrong == "unknown-key" else aws.key(wrong, "sqs", may=wrong != "no-policy")
    if wrong == "wrong-secret":
        key |= {"secret_access_key": KEY["secret_access_key"]}
    if wrong == "no-queue":
        place["queue_url"] += "-2"
    if wrong == "throttled":
        aws.answers.append(THROTTLED_QUEUE)
    lane = subscribe(place, key)
    if wrong == "too-small":
        with control.writing() as connection:
            connection.exec_driver_sql("CREATE TRIGGER long AFTER INSERT ON webhook_events BEGIN UPDATE webhook_events "
                                       "SET data = CAST(replace(data, 'Eksempel', printf('%.2000c', 'x')) AS BLOB); END")  # fmt: skip
    with aws.checks_keys():
        attempt = await attempted(control, lane)
    error, detail = WRONG[wrong]
    assert (attempt.outcome, attempt.error) == ("failed", error), attempt.response_body
    assert attempt.error_detail.startswith(f"{detail} ({attempt.response_status}"), attempt.error_detail
    assert aws.messages(wrong) == []
    written = f"{attempt.error_detail} {attempt.response_headers} {attempt.response_body}"
    assert key["secret_access_key"] not in written
    assert key["access_key_id"] not in written
    [delivery] = [attempt.delivery_id]
    assert (control.delivery(delivery).status, control.delivery(delivery).last_error) == ("retrying", error)


async def test_a_queue_that_is_made_later_gets_the_event_by_the_same_schedule(
    control: Control, subscribe: Subscribe, aws: Amazon
) -> None:
    place = aws.queue("late")
    missing = place | {"queue_url": place["queue_url"] + "-r"}
    lane, worker = subscribe(missing), control.worker(sender())
    [delivery] = control.deliver(lane)
    await through(control, worker, until=400)
    assert [row.error for row in control.attempts(delivery)] == ["destination_not_found"] * 3
    aws.queue("late-r")
    await through(control, worker)
    assert control.statuses() == {"succeeded": 1}
    [message] = aws.messages("late-r")
    assert attributes(message)["X-Service-Attempt"] == "4"
    assert [row.number for row in control.attempts(delivery)] == [1, 2, 3, 4]


async def test_a_subscription_of_a_queue_that_is_gone_is_paused_and_replayed(
    control: Control, subscribe: Subscribe, aws: Amazon
) -> None:
    place = aws.queue("gone")
    lane, worker = subscribe(place | {"queue_url": place["queue_url"] + "-9"}), control.worker(sender())
    control.deliver(lane)
    await through(control, worker)
    paused = control.subscription(lane)
    assert (paused.status, paused.status_reason) == ("paused", "retries_exhausted")
    assert control.statuses() == {"failed": 1}
