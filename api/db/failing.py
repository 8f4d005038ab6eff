"""Failure policy: warns the owner when a retry schedule nears its end, pauses when it ends.

Runs in the transaction that writes the attempt, so that no pause exists without its mail and no mail without
its pause. Does not belong here: texts (`api.webhooks.notices`), sending them (`api.webhooks.mail`), what a
pause does (`api.db.webhook_states`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import Connection, func, select

from api.db import outbox
from api.db.models import Account
from api.db.queue_records import Finished, Health
from api.db.webhook_models import Delivery, Subscription, moment
from api.db.webhook_states import pause
from api.webhooks import notices
from api.webhooks.notices import Failing


@dataclass(frozen=True, slots=True)
class Paused:
    """A subscription paused because of these attempts."""

    subscription_id: str
    delivery_id: str


def follow(
    connection: Connection, scheduled: Sequence[Finished], healths: Mapping[str, Health], public_url: str
) -> list[Paused]:
    """Pauses subscriptions that used up their retries, and mails the owners.

    The caller holds the endpoint-queue locks.
    """
    paused: list[Paused] = []
    for one in scheduled:
        step, lane = one.step, one.due.queued.subscription_id
        if step is None or lane not in healths:
            continue
        if step.status == "failed" and pause(connection, lane, "retries_exhausted", moment(one.finished_at)):
            _tell_paused(connection, one, healths[lane], public_url)
            paused.append(Paused(lane, one.due.queued.delivery_id))
        elif step.warns and step.next_attempt_at is not None:
            _warn(connection, one, healths[lane], public_url)
    return paused


def _tell_paused(connection: Connection, one: Finished, health: Health, public_url: str) -> None:
    row = _owner(connection, one)
    held = connection.execute(
        select(func.count()).where(
            Delivery.subscription_id == one.due.queued.subscription_id,
            Delivery.status == "held",
            Delivery.status != "succeeded",  # the partial index's condition
        )
    ).scalar_one()
    notice = notices.paused(_failing(one, row, health), held, public_url)
    occasion = f"paused:{one.due.queued.subscription_id}:{row.revision}"
    outbox.add(connection, occasion, row.account_id, row.email, notice, moment(one.finished_at))


def _warn(connection: Connection, one: Finished, health: Health, public_url: str) -> None:
    row, due_at = _owner(connection, one), one.step.next_attempt_at if one.step else None
    if row.status != "active" or due_at is None:
        return
    left, at = timedelta(milliseconds=due_at - one.finished_at), moment(one.finished_at)
    warning = f"warning:{one.due.queued.subscription_id}:"
    # one warning per endpoint, also if it fails for some events only, not one per event
    if not outbox.has_any(connection, row.account_id, warning, at - left):
        notice = notices.warning(_failing(one, row, health), left, public_url)
        outbox.add(connection, f"{warning}{_since(one, health)}", row.account_id, row.email, notice, at)


def _owner(connection: Connection, one: Finished) -> Any:
    return connection.execute(
        select(
            Subscription.account_id,
            Account.email,
            Subscription.revision,
            Subscription.status,
            Subscription.endpoint_url,
        )
        .join(Account, Account.account_id == Subscription.account_id)
        .where(Subscription.subscription_id == one.due.queued.subscription_id)
    ).one()


def _since(one: Finished, health: Health) -> int:
    """Start of the failure; this attempt's end if another event was acknowledged just before."""
    return one.finished_at if health.failing_since is None else health.failing_since


def _failing(one: Finished, row: Any, health: Health) -> Failing:
    return Failing(
        subscription_id=one.due.queued.subscription_id,
        endpoint_url=row.endpoint_url,
        delivery_id=one.due.queued.delivery_id,
        event_id=one.due.event_id,
        event_type=one.due.event_type,
        failing_since=moment(_since(one, health)),
        error=one.outcome.error,
        error_detail=one.outcome.error_detail,
        response_status=one.outcome.response_status,
    )
