"""Writes finished attempts in one commit: their log, their deliveries, their endpoints' health.

An attempt belongs to the schedule if its queue row was deleted here. If the row is gone (paused, deleted, or
another worker was faster), the attempt is still logged: its success counts, its failure changes nothing else.

Does not belong here: what an attempt means (`api.webhooks.delivery.retry_policy`), or mail
(`api.webhooks.delivery.failure_policy`).
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import msgspec
from sqlalchemy import Connection, delete, select, update

from api.database.json_bulk import JsonStatement, insert_statement
from api.database.models.base import from_milliseconds
from api.database.models.webhooks import Attempt, Delivery, QueuedAttempt
from api.webhooks.deliveries.repository import EndedDelivery
from api.webhooks.delivery import queue_repository
from api.webhooks.delivery.records import EndpointHealth, FinishedAttempt

_LOG: Final = insert_statement(Attempt, "RETURNING attempt_id")
_KNOWN: Final = JsonStatement(
    "SELECT given.attempt_id FROM {given} JOIN webhook_attempts AS one ON one.delivery_id = given.delivery_id "
    "AND one.attempt_id = given.attempt_id AND one.started_at = given.started_at "
    "AND one.duration_ms = given.duration_ms AND one.outcome = given.outcome",
    "delivery_id text, attempt_id text, started_at bigint, duration_ms integer, outcome text",
)
_STEP: Final = JsonStatement(
    "UPDATE webhook_deliveries SET status = given.status, tries = given.tries, "
    "attempt_count = attempt_count + 1, next_attempt_at = given.next_attempt_at, "
    "last_outcome = given.last_outcome, last_error = given.last_error, "
    "last_response_status = given.last_response_status, completed_at = given.completed_at FROM {given} "
    "WHERE webhook_deliveries.subscription_id = given.subscription_id "
    "AND webhook_deliveries.delivery_id = given.delivery_id",
    "subscription_id text, delivery_id text, status text, tries integer, next_attempt_at bigint, "
    "last_outcome text, last_error text, last_response_status integer, completed_at bigint",
)
_LONGEST_DETAIL: Final = 500
_SUCCEEDS: Final = frozenset({"held", "pending", "retrying", "failed"})
_UNFINISHED: Final = frozenset({"pending", "retrying"})

MakeId = Callable[[], str]


def record_attempts(
    connection: Connection, finished: Sequence[FinishedAttempt], ended: list[EndedDelivery], make_id: MakeId
) -> list[FinishedAttempt]:
    """Writes these attempts; returns those that belonged to the schedule. Adds deliveries that end to `ended`.

    The caller holds the endpoint-queue locks. Rows of an earlier commit that succeeded without being confirmed
    are left as they are.
    """
    taken = queue_repository.dequeue(connection, (one.due.queued for one in finished))
    by_hand = {one.due.queued.attempt_id for one in finished if one.retry_decision is None}
    scheduled, apart = _partition_by_id(_log_attempts(connection, finished, make_id), taken - by_hand)
    _STEP.run(connection, [_step_row(one) for one in scheduled])
    following = [
        one.due.queued._replace(due_at=one.retry_decision.next_attempt_at, attempt_id=one.next_attempt_id)
        for one in scheduled
        if one.retry_decision and one.retry_decision.next_attempt_at
    ]
    queue_repository.enqueue(connection, following)
    for one in scheduled:
        if one.retry_decision and one.retry_decision.status != "retrying":
            lane, has_succeeded = one.due.queued.subscription_id, one.result.has_succeeded
            ended.append(EndedDelivery(one.due.replay_id, lane, has_succeeded))
    for one in apart:
        _record_unscheduled(connection, one, ended)
    return scheduled


def endpoint_health(
    before: Mapping[str, EndpointHealth], scheduled: Sequence[FinishedAttempt]
) -> dict[str, EndpointHealth]:
    """Endpoint health after these attempts, in the order in which they ended."""
    after: dict[str, EndpointHealth] = {}
    for one in sorted(scheduled, key=lambda each: each.finished_at):
        lane = one.due.queued.subscription_id
        if lane in before:
            after[lane] = _health_after(after.get(lane, before[lane]), one)
    return after


def _health_after(health: EndpointHealth, one: FinishedAttempt) -> EndpointHealth:
    at = one.finished_at
    if one.result.has_succeeded:
        return EndpointHealth(0, at, at, health.last_failure_at, None)
    return EndpointHealth(
        consecutive_failures=health.consecutive_failures + 1,
        last_attempt_at=at,
        last_success_at=health.last_success_at,
        last_failure_at=at,
        failing_since=at if health.failing_since is None else health.failing_since,
    )


def _partition_by_id(
    finished: Sequence[FinishedAttempt], attempt_ids: set[str]
) -> tuple[list[FinishedAttempt], list[FinishedAttempt]]:
    """Splits into attempts with the given ids and the rest; an id that occurs twice is matched once."""
    named, others = list[FinishedAttempt](), list[FinishedAttempt]()
    for one in finished:
        (named if one.due.queued.attempt_id in attempt_ids else others).append(one)
        attempt_ids.discard(one.due.queued.attempt_id)
    return named, others


def _log_attempts(
    connection: Connection, finished: Sequence[FinishedAttempt], make_id: MakeId
) -> Sequence[FinishedAttempt]:
    """Logs attempts and returns those not logged before, nearly always all.

    Two workers may have made one attempt (an expired lease): the second log entry gets its own id.
    """
    rows = [_log_row(one, one.due.queued.attempt_id) for one in finished]
    new, others = _partition_by_id(finished, {row[0] for row in _LOG.run(connection, rows)})
    if not others:
        return finished
    rows = [
        (
            one.due.queued.delivery_id,
            one.due.queued.attempt_id,
            one.started_at,
            one.result.duration_ms,
            one.result.outcome,
        )
        for one in others
    ]
    known = {row[0] for row in _KNOWN.run(connection, rows)}
    again = [one for one in others if one.due.queued.attempt_id not in known]
    _LOG.run(connection, [_log_row(one, make_id()) for one in again])
    return [*new, *again]


def _log_row(one: FinishedAttempt, attempt_id: str) -> tuple[Any, ...]:
    outcome, queued = one.result, one.due.queued
    headers = outcome.response_headers
    return (
        queued.delivery_id,
        attempt_id,
        one.number,
        queued.trigger,
        one.started_at,
        outcome.duration_ms,
        outcome.outcome,
        outcome.error,
        outcome.error_detail and outcome.error_detail[:_LONGEST_DETAIL],
        one.request_url,
        outcome.remote_ip,
        outcome.response_status,
        None if headers is None else msgspec.json.encode(headers).decode(),
        outcome.response_body,
        outcome.response_body_truncated,
    )


def _step_row(one: FinishedAttempt) -> tuple[Any, ...]:
    step = one.retry_decision
    if step is None:
        raise ValueError("a manual attempt is not part of a schedule")
    return (
        one.due.queued.subscription_id,
        one.due.queued.delivery_id,
        step.status,
        step.tries,
        step.next_attempt_at,
        one.result.outcome,
        one.result.error,
        one.result.response_status,
        None if step.status == "retrying" else one.finished_at,
    )


def _record_unscheduled(connection: Connection, one: FinishedAttempt, ended: list[EndedDelivery]) -> None:
    """Records a manual attempt, or one no longer in the schedule: rare, so one at a time."""
    queued = one.due.queued
    here = (Delivery.subscription_id == queued.subscription_id, Delivery.delivery_id == queued.delivery_id)
    row = connection.execute(select(Delivery.status, Delivery.replay_id).where(*here)).one_or_none()
    if row is None:
        return
    values: dict[str, Any] = {"attempt_count": Delivery.attempt_count + 1}
    ends = one.result.has_succeeded and row.status in _SUCCEEDS
    if ends or one.retry_decision is None:
        values |= {
            "last_outcome": one.result.outcome,
            "last_error": one.result.error,
            "last_response_status": one.result.response_status,
        }
    if ends:
        values |= {"status": "succeeded", "next_attempt_at": None, "completed_at": from_milliseconds(one.finished_at)}
        connection.execute(
            delete(QueuedAttempt).where(
                QueuedAttempt.subscription_id == queued.subscription_id,
                QueuedAttempt.delivery_id == queued.delivery_id,
                QueuedAttempt.trigger != "manual",
            )
        )
        if row.status in _UNFINISHED:
            ended.append(EndedDelivery(row.replay_id, queued.subscription_id, has_succeeded=True))
    connection.execute(update(Delivery).where(*here).values(values))
