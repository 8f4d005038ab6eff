"""Delivery to buckets of moto's: batches, keys that overwrite, order, replays and refusals (contract 4.8f)."""

import json
import re
from typing import Any

import pytest
from sqlalchemy import update
from standardwebhooks import Webhook

from api.database.models.webhooks import Delivery, QueuedAttempt
from api.webhooks.deliveries.models import ReplayRecord
from api.webhooks.deliveries.repository import queue_replay
from api.webhooks.delivery import batches
from api.webhooks.egress.signing import make_secret
from tests.api.fixtures.amazon import THROTTLED_BUCKET, Amazon
from tests.api.fixtures.delivery_engine import NOON, Control, Scripted, exhaust, outcome, sender, through
from tests.api.webhooks.destinations.conftest import KEY, Subscribe

pytestmark = pytest.mark.anyio
NAME = re.compile(r"firm/([0-9]{12})-([0-9]{12})-[0-9a-f]{12}\.ndjson")


def lines(stored: Any) -> list[Any]:
    text = stored.value.decode()
    assert text.endswith("\n")
    return [json.loads(line) for line in text.splitlines()]


def sequences(stored: Any) -> list[int]:
    return [line["data"]["sequence"] for line in lines(stored)]


def ranges(aws: Amazon, bucket: str) -> list[tuple[int, int]]:
    """The sequences that the keys of a bucket name, in the keys' order."""
    found = [NAME.fullmatch(key) for key in sorted(aws.objects(bucket))]
    return [(int(one[1]), int(one[2])) for one in found if one]


async def test_events_of_one_window_are_one_signed_object(control: Control, subscribe: Subscribe, aws: Amazon) -> None:
    secret = make_secret()
    lane = subscribe(aws.bucket("window"), aws.key("putter", "s3"), secret_text=secret)
    deliveries = control.deliver(lane, count=40)
    with aws.checks_keys():
        await exhaust(control.worker(sender()))
    [(key, stored)] = aws.objects("window").items()
    assert ranges(aws, "window") == [(1, 40)]
    assert sequences(stored) == [*range(1, 41)]
    assert lines(stored)[0] == {
        "event_id": f"evt_{1:026d}",
        "event_type": "status.changed",
        "delivered_at": "2026-11-20T12:00:00.000Z",
        "data": {"company_id": "firm:NO:999999999", "name": "Eksempel Æ", "sequence": 1},
    }
    said = {name.lower().removeprefix("x-amz-meta-"): value for name, value in stored.metadata.items()}
    assert said["webhook-id"] == key.removeprefix("firm/")
    assert Webhook(secret).sign(said["webhook-id"], NOON, stored.value.decode()) == said["webhook-signature"]
    attempts = [control.attempts(one)[0] for one in deliveries]
    assert {one.request_url for one in attempts} == {f"{aws.endpoint}/window/{key}"}
    assert {(one.outcome, one.number, one.response_status) for one in attempts} == {("succeeded", 1, 200)}
    assert control.statuses() == {"succeeded": 40}


async def test_a_batch_that_fails_is_repeated_as_a_whole_and_overwrites(
    control: Control, subscribe: Subscribe, aws: Amazon
) -> None:
    """The first object is written, and its answer never told: the repeated batch has its key."""
    lane = subscribe(aws.bucket("again"))

    class Unheard:
        """The first answers are lost on their way."""

        def __init__(self) -> None:
            self.egress, self.left, self.keys = sender(), 2, list[str]()

        async def send(self, request: Any) -> Any:
            found = await self.egress.send(request)
            self.keys.append(request.url)
            self.left -= 1
            return outcome(None) if self.left >= 0 else found

    deliveries, egress = control.deliver(lane, count=25), Unheard()
    await exhaust(control.worker(egress))
    control.hands.move(30)
    control.deliver(lane, count=3)  # a later window, while the first waits
    await through(control, *control.workers)
    assert len(set(egress.keys)) == 2, "of each window one"
    assert egress.keys.count(egress.keys[0]) == 2
    assert ranges(aws, "again") == [(1, 25), (26, 28)]
    assert [row.error for row in control.attempts(deliveries[7])] == ["timeout", None]
    assert control.statuses() == {"succeeded": 28}
    await egress.egress.close()


async def test_batches_are_bounded_by_count_and_bytes(
    control: Control, subscribe: Subscribe, aws: Amazon, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "MOST_EVENTS", 8)
    monkeypatch.setattr("api.webhooks.delivery.scheduler.MOST_EVENTS", 8)
    lane = subscribe(aws.bucket("bounds"))
    control.deliver(lane, count=20)
    await exhaust(control.worker(sender()))
    sizes = sorted(len(lines(one)) for one in aws.objects("bounds").values())
    assert sizes == [4, 8, 8]
    size = len(json.dumps({"company_id": "firm:NO:999999999", "name": "Eksempel Æ", "sequence": 21}, separators=(",", ":"), ensure_ascii=False).encode())  # fmt: skip
    monkeypatch.setattr(batches, "MOST_BYTES", 3 * size)
    control.hands.move(1)
    control.deliver(lane, count=8)
    await exhaust(*control.workers)
    assert ranges(aws, "bounds")[-3:] == [(21, 23), (24, 26), (27, 28)]


async def test_a_replay_overwrites_no_other_set_of_events(control: Control, subscribe: Subscribe, aws: Amazon) -> None:
    """Sent again are the first and the last of ten: the object of the ten stays whole."""
    lane = subscribe(aws.bucket("replayed"))
    deliveries, worker = control.deliver(lane, count=10), control.worker(sender())
    await exhaust(worker)
    [(key, _)] = aws.objects("replayed").items()
    with control.writing() as connection:
        chosen = Delivery.delivery_id.in_([deliveries[0], deliveries[-1]])
        connection.execute(update(Delivery).where(chosen).values(status="held"))
    control.hands.move(1)  # attempts of one delivery are told apart by their millisecond
    with control.writing() as connection:
        queue_replay(connection, _replay(control, lane, control.hands.clock.now(), ("held",)))
    await exhaust(worker)
    assert ranges(aws, "replayed") == [(1, 10), (1, 10)]
    assert sequences(aws.objects("replayed")[key]) == [*range(1, 11)]
    control.hands.move(1)
    with control.writing() as connection:
        queue_replay(connection, _replay(control, lane, control.hands.clock.now(), ("succeeded",)))
    await exhaust(worker)
    assert len(aws.objects("replayed")) == 2, "all ten once more have the key that they had"
    control.retry(lane, deliveries[4])
    await exhaust(worker)
    assert ranges(aws, "replayed") == [(1, 10), (1, 10), (5, 5)]


def _replay(control: Control, lane: str, at: Any, statuses: tuple[str, ...]) -> ReplayRecord:
    made = control.ulids.make("rpl")
    return ReplayRecord(made, lane, at.replace(year=2025), at.replace(year=2027), statuses, None, at)


WRONG = {
    "unknown-key": "access_denied",
    "wrong-secret": "access_denied",
    "no-policy": "access_denied",
    "no-bucket": "destination_not_found",
    "throttled": "throttled",
}


@pytest.mark.parametrize("wrong", WRONG)
async def test_every_refusal_has_a_name(control: Control, subscribe: Subscribe, aws: Amazon, wrong: str) -> None:
    place = aws.bucket(wrong)
    key = KEY if wrong == "unknown-key" else aws.key(f"s3-{wrong}", "s3", may=wrong != "no-policy")
    if wrong == "wrong-secret":
        key |= {"secret_access_key": KEY["secret_access_key"]}
    if wrong == "no-bucket":
        place["bucket"] += "-2"
    if wrong == "throttled":
        aws.answers.append(THROTTLED_BUCKET)
    [delivery] = control.deliver(subscribe(place, key))
    with aws.checks_keys():
        await exhaust(control.worker(sender()))
    [attempt] = control.attempts(delivery)
    assert (attempt.outcome, attempt.error) == ("failed", WRONG[wrong]), attempt.response_body
    assert "bucket" in attempt.error_detail
    assert aws.objects(wrong) == {}
    written = f"{attempt.error_detail} {attempt.response_headers} {attempt.response_body}"
    assert key["secret_access_key"] not in written
    assert key["access_key_id"] not in written


async def test_an_event_that_is_too_long_holds_no_other(control: Control, subscribe: Subscribe, aws: Amazon) -> None:
    lane = subscribe(aws.bucket("long"))
    deliveries = control.deliver(lane, count=5)
    with control.writing() as connection:
        connection.exec_driver_sql(
            "UPDATE webhook_events SET data = CAST(replace(data, 'Eksempel', printf('%.40000c', 'x')) AS BLOB) "
            "WHERE sequence = 3"
        )
    await exhaust(control.worker(sender()))
    assert control.delivery(deliveries[2]).status == "held"
    assert control.statuses() == {"succeeded": 4, "held": 1}
    [stored] = aws.objects("long").values()
    assert sequences(stored) == [1, 2, 4, 5]


async def test_windows_of_a_backlog_are_an_object_each_in_their_order(
    control: Control, subscribe: Subscribe, aws: Amazon
) -> None:
    """The worker was down for five windows; each is written as it would have been, one after the other."""
    lane = subscribe(aws.bucket("backlog"))
    for _ in range(5):
        control.deliver(lane, count=30)
        control.hands.move(60)
    egress = sender()
    await exhaust(control.worker(egress))
    assert ranges(aws, "backlog") == [(1, 30), (31, 60), (61, 90), (91, 120), (121, 150)]
    put = [one for one in aws.asked if one.startswith("PUT /backlog/")]
    assert put == sorted(put)
    assert control.count(QueuedAttempt) == 0


async def test_a_paused_bucket_holds_its_batch(control: Control, subscribe: Subscribe, aws: Amazon) -> None:
    lane, egress = subscribe(aws.bucket("paused")), Scripted()
    control.deliver(lane, count=4)
    control.change(lane, status="paused", status_reason="manual")
    await exhaust(control.worker(egress))
    assert (egress.posts, control.statuses()) == ([], {"held": 4})
