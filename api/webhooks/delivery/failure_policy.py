"""Failure policy: warns the owner when a retry schedule nears its end, pauses when it ends.

Runs in the transaction that writes the attempt, so that no pause exists without its mail and no mail without its
pause. Does not belong here: texts (`api.email.webhook_notices`), sending them (`api.email.outbox`), what a
pause does (`api.webhooks.subscriptions.repository`).
"""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, select

from api.database.models.accounts import Account
from api.database.models.base import from_milliseconds
from api.database.models.webhooks import Subscription
from api.email import outbox, webhook_notices
from api.email.webhook_notices import EndpointFailure
from api.webhooks.delivery.records import EndpointHealth, FinishedAttempt
from api.webhooks.subscriptions.repository import HELD, pause_subscription


def apply_failure_policy(
    connection: Connection, scheduled: Sequence[FinishedAttempt], healths: Mapping[str, EndpointHealth], public_url: str
) -> list[FinishedAttempt]:
    """Pauses subscriptions that used up their retries, and mails the owners; returns the attempts that ended them.

    The caller holds the endpoint-queue locks.
    """
    paused: list[FinishedAttempt] = []
    for one in scheduled:
        step, lane = one.retry_decision, one.due.queued.subscription_id
        if step is None or lane not in healths:
            continue
        if step.status == "failed" and pause_subscription(
            connection, lane, "retries_exhausted", from_milliseconds(one.finished_at)
        ):
            _queue_pause_notice(connection, one, healths[lane], public_url)
            paused.append(one)
        elif step.is_last_retry and step.next_attempt_at is not None:
            _queue_warning(connection, one, step.next_attempt_at, healths[lane], public_url)
    return paused


def _queue_pause_notice(connection: Connection, one: FinishedAttempt, health: EndpointHealth, public_url: str) -> None:
    row = _subscription_owner(connection, one)
    notice = webhook_notices.pause_notice(_endpoint_failure(one, row, health), row.held, public_url)
    occasion = f"paused:{one.due.queued.subscription_id}:{row.revision}"
    outbox.add_mail(connection, occasion, row.account_id, row.email, notice, from_milliseconds(one.finished_at))


def _queue_warning(
    connection: Connection, one: FinishedAttempt, due_at: int, health: EndpointHealth, public_url: str
) -> None:
    row, at = _subscription_owner(connection, one), from_milliseconds(one.finished_at)
    if row.status != "active":
        return
    left = from_milliseconds(due_at) - at
    warning = f"warning:{one.due.queued.subscription_id}:"
    # one warning per endpoint, also if it fails for some events only, not one per event
    if not outbox.has_mail_with_prefix(connection, row.account_id, warning, at - left):
        notice = webhook_notices.warning_notice(_endpoint_failure(one, row, health), left, public_url)
        outbox.add_mail(connection, f"{warning}{_failing_since(one, health)}", row.account_id, row.email, notice, at)


def _subscription_owner(connection: Connection, one: FinishedAttempt) -> Any:
    chosen = (
        Subscription.account_id,
        Account.email,
        Subscription.revision,
        Subscription.status,
        Subscription.endpoint_url,
    )
    return connection.execute(
        select(*chosen, HELD.label("held"))
        .join(Account, Account.account_id == Subscription.account_id)
        .where(Subscription.subscription_id == one.due.queued.subscription_id)
    ).one()


def _failing_since(one: FinishedAttempt, health: EndpointHealth) -> int:
    """Start of the failure; this attempt's end if another event was acknowledged just before."""
    return one.finished_at if health.failing_since is None else health.failing_since


def _endpoint_failure(one: FinishedAttempt, row: Any, health: EndpointHealth) -> EndpointFailure:
    return EndpointFailure(
        subscription_id=one.due.queued.subscription_id,
        endpoint_url=row.endpoint_url,
        delivery_id=one.due.queued.delivery_id,
        event_id=one.due.event_id,
        event_type=one.due.event_type,
        failing_since=from_milliseconds(_failing_since(one, health)),
        error=one.result.error,
        error_detail=one.result.error_detail,
        response_status=one.result.response_status,
    )
