"""Writes finished attempts in one commit: their log, their deliveries, their endpoints' health.

An attempt belongs to the schedule if its queue row was deleted here. If the row is gone (paused, deleted, or
another worker was faster), the attempt is still logged: its success counts, its failure changes nothing else.

Does not belong here: what an attempt means (`api.webhooks.schedule`), or mail (`api.db.failing`).
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import msgspec
from sqlalchemy import Connection, delete, select, update

from api.db import queue
from api.db.json_rows import Statement
from api.db.queue_records import Finished, Health, Queued
from api.db.replay_counts import ReplayCounts
from api.db.webhook_models import Delivery, QueuedAttempt, moment

_LOG: Final = Statement(
    'INSERT INTO webhook_attempts (delivery_id, attempt_id, number, "trigger", started_at, duration_ms, outcome, '
    "error, error_detail, request_url, remote_ip, response_status, response_headers, response_body, "
    'response_body_truncated) SELECT delivery_id, attempt_id, number, "trigger", started_at, duration_ms, '
    "outcome, error, error_detail, request_url, remote_ip, response_status, response_headers, response_body, "
    "response_body_truncated FROM {given} WHERE true ON CONFLICT DO NOTHING RETURNING attempt_id",
    delivery_id="text",
    attempt_id="text",
    number="integer",
    trigger="text",
    started_at="bigint",
    duration_ms="integer",
    outcome="text",
    error="text",
    error_detail="text",
    request_url="text",
    remote_ip="text",
    response_status="integer",
    response_headers="text",
    response_body="text",
    response_body_truncated="boolean",
)
_KNOWN: Final = Statement(
    "SELECT given.attempt_id FROM {given} JOIN webhook_attempts AS one ON one.delivery_id = given.delivery_id "
    "AND one.attempt_id = given.attempt_id AND one.started_at = given.started_at "
    "AND one.duration_ms = given.duration_ms AND one.outcome = given.outcome",
    delivery_id="text",
    attempt_id="text",
    started_at="bigint",
    duration_ms="integer",
    outcome="text",
)
_STEP: Final = Statement(
    "UPDATE webhook_deliveries SET status = given.status, tries = given.tries, "
    "attempt_count = attempt_count + 1, next_attempt_at = given.next_attempt_at, "
    "last_outcome = given.last_outcome, last_error = given.last_error, "
    "last_response_status = given.last_response_status, completed_at = given.completed_at FROM {given} "
    "WHERE webhook_deliveries.subscription_id = given.subscription_id "
    "AND webhook_deliveries.delivery_id = given.delivery_id",
    subscription_id="text",
    delivery_id="text",
    status="text",
    tries="integer",
    next_attempt_at="bigint",
    last_outcome="text",
    last_error="text",
    last_response_status="integer",
    completed_at="bigint",
)
_LONGEST_DETAIL: Final = 500
_SUCCEEDS: Final = frozenset({"held", "pending", "retrying", "failed"})
_UNFINISHED: Final = frozenset({"pending", "retrying"})

MakeId = Callable[[], str]


def write(
    connection: Connection, finished: Sequence[Finished], replays: ReplayCounts, make_id: MakeId
) -> list[Finished]:
    """Writes these attempts; returns those that belonged to the schedule.

    The caller holds the endpoint-queue locks. Rows of an earlier commit that succeeded without being confirmed
    are left as they are.
    """
    taken = queue.take_out(connection, (one.due.queued for one in finished))
    by_hand = {one.due.queued.attempt_id for one in finished if one.step is None}
    scheduled, apart = _parted(_log(connection, finished, make_id), taken - by_hand)
    if scheduled:
        _STEP.run(connection, [_stepped(one) for one in scheduled])
        queue.put_in(connection, [_again(one) for one in scheduled if one.step and one.step.next_attempt_at])
    for one in scheduled:
        if one.step and one.step.status != "retrying":
            replays.count(one.due.replay_id, one.due.queued.subscription_id, one.outcome.succeeded)
    for one in apart:
        _apart(connection, one, replays)
    return scheduled


def healths(before: Mapping[str, Health], scheduled: Sequence[Finished]) -> dict[str, Health]:
    """Endpoint health after these attempts, in the order in which they ended."""
    after: dict[str, Health] = {}
    for one in sorted(scheduled, key=lambda each: each.finished_at):
        lane = one.due.queued.subscription_id
        if lane in before:
            after[lane] = _after(after.get(lane, before[lane]), one)
    return after


def _after(health: Health, one: Finished) -> Health:
    at = one.finished_at
    if one.outcome.succeeded:
        return Health(0, at, at, health.last_failure_at, None)
    return Health(
        consecutive_failures=health.consecutive_failures + 1,
        last_attempt_at=at,
        last_success_at=health.last_success_at,
        last_failure_at=at,
        failing_since=at if health.failing_since is None else health.failing_since,
    )


def _parted(finished: Sequence[Finished], attempt_ids: set[str]) -> tuple[list[Finished], list[Finished]]:
    """Splits into attempts with the given ids and the rest; an id that occurs twice is matched once."""
    named, others = list[Finished](), list[Finished]()
    for one in finished:
        (named if one.due.queued.attempt_id in attempt_ids else others).append(one)
        attempt_ids.discard(one.due.queued.attempt_id)
    return named, others


def _log(connection: Connection, finished: Sequence[Finished], make_id: MakeId) -> Sequence[Finished]:
    """Logs attempts and returns those not logged before, nearly always all.

    Two workers may have made one attempt (an expired lease): the second log entry gets its own id.
    """
    rows = [_logged(one, one.due.queued.attempt_id) for one in finished]
    new, others = _parted(finished, {row[0] for row in _LOG.run(connection, rows)})
    if not others:
        return finished
    known = {row[0] for row in _KNOWN.run(connection, [_recognised(one) for one in others])}
    again = [one for one in others if one.due.queued.attempt_id not in known]
    if again:
        _LOG.run(connection, [_logged(one, make_id()) for one in again])
    return [*new, *again]


def _recognised(one: Finished) -> tuple[Any, ...]:
    queued = one.due.queued
    return queued.delivery_id, queued.attempt_id, one.started_at, one.outcome.duration_ms, _told(one)


def _logged(one: Finished, attempt_id: str) -> tuple[Any, ...]:
    outcome, queued = one.outcome, one.due.queued
    headers = outcome.response_headers
    return (
        queued.delivery_id,
        attempt_id,
        one.number,
        queued.trigger,
        one.started_at,
        outcome.duration_ms,
        _told(one),
        outcome.error,
        outcome.error_detail and outcome.error_detail[:_LONGEST_DETAIL],
        one.request_url,
        outcome.remote_ip,
        outcome.response_status,
        None if headers is None else msgspec.json.encode(headers).decode(),
        outcome.response_body,
        outcome.response_body_truncated,
    )


def _told(one: Finished) -> str:
    return "succeeded" if one.outcome.succeeded else "failed"


def _stepped(one: Finished) -> tuple[Any, ...]:
    step = one.step
    if step is None:
        raise ValueError("a manual attempt is not part of a schedule")
    return (
        one.due.queued.subscription_id,
        one.due.queued.delivery_id,
        step.status,
        step.tries,
        step.next_attempt_at,
        _told(one),
        one.outcome.error,
        one.outcome.response_status,
        None if step.status == "retrying" else one.finished_at,
    )


def _again(one: Finished) -> Queued:
    queued, step = one.due.queued, one.step
    due_at = step.next_attempt_at if step and step.next_attempt_at else one.finished_at
    return queued._replace(due_at=due_at, attempt_id=one.next_attempt_id)


def _apart(connection: Connection, one: Finished, replays: ReplayCounts) -> None:
    """Records a manual attempt, or one no longer in the schedule: rare, so one at a time."""
    queued = one.due.queued
    here = (
        Delivery.subscription_id == queued.subscription_id,
        Delivery.delivery_id == queued.delivery_id,
    )
    row = connection.execute(select(Delivery.status, Delivery.replay_id).where(*here)).one_or_none()
    if row is None:
        return
    values: dict[str, Any] = {"attempt_count": Delivery.attempt_count + 1}
    ends = one.outcome.succeeded and row.status in _SUCCEEDS
    if ends or one.step is None:
        values |= {
            "last_outcome": _told(one),
            "last_error": one.outcome.error,
            "last_response_status": one.outcome.response_status,
        }
    if ends:
        values |= {"status": "succeeded", "next_attempt_at": None, "completed_at": moment(one.finished_at)}
        connection.execute(
            delete(QueuedAttempt).where(
                QueuedAttempt.subscription_id == queued.subscription_id,
                QueuedAttempt.delivery_id == queued.delivery_id,
                QueuedAttempt.trigger != "manual",
            )
        )
        if row.status in _UNFINISHED:
            replays.count(row.replay_id, queued.subscription_id, succeeded=True)
    connection.execute(update(Delivery).where(*here).values(values))
