"""`firm doctor` checks of webhooks: active workers, backlog, settings meant for trials. Changes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from typing import Final

from sqlalchemy.exc import SQLAlchemyError

from api.auth.encryption import SealingError, SecretBox
from api.auth.service_secrets import SecretsError
from api.database.engine import Database
from api.observability import delivery_health_repository
from api.observability.delivery_health_repository import DeliveryLag, QueueSizes
from api.settings.service import ApiSettings
from api.settings.webhooks import WebhookSettings
from api.webhooks.delivery.fanout import LEASE
from firm.bootstrap import Installation
from warehouse.reader.reader import NoReleaseError, ReleaseReader

Found = tuple[str, str, str]
"""State (ok, warn or bad), the subject checked, and what to do about it."""

_LATE_SECONDS: Final = 300.0


def webhook_findings(installation: Installation) -> Iterator[Found]:
    """Checks settings, backlog, cursor and secrets; settings only if there is no database yet."""
    yield from _trial_findings(installation.settings.webhooks)
    if not has_control_database(installation.settings):
        return
    now = datetime.now(UTC)
    with closing(Database(installation.settings.control_database_url)) as database:
        try:
            with database.reading() as session:
                connection = session.connection()
                lag, sizes = (
                    delivery_health_repository.delivery_lag(connection, LEASE, now),
                    delivery_health_repository.queue_sizes(connection),
                )
                sealed = delivery_health_repository.newest_sealed_secret(connection)
        except SQLAlchemyError as error:
            told = str(getattr(error, "orig", error)).strip()
            yield ("bad", "control-plane database", f"{told}: check FIRM_DATABASE_URL, or start `firm serve` once")
            return
    yield from _backlog_findings(lag, sizes, now)
    yield from _ledger_findings(installation, lag)
    if sealed is not None and not _can_open_secret(installation, sealed):
        yield (
            "bad",
            "sealing keys: they do not decrypt the secrets of subscriptions, so no webhook can be signed",
            "copy FIRM_DATA/secrets.json from the installation that made them, or add its key to FIRM_SEALING_KEYS",
        )


def _trial_findings(settings: WebhookSettings) -> Iterator[Found]:
    if settings.allow_networks:
        shown = ", ".join(map(str, settings.allow_networks))
        yield (
            "warn",
            f"webhooks may go to {shown}",
            "clear FIRM_WEBHOOK_ALLOW_CIDRS if others can subscribe: they could reach your internal network",
        )
    if settings.allow_http:
        yield (
            "warn",
            "webhooks may go to http://",
            "set FIRM_WEBHOOK_ALLOW_HTTP=false in production: bodies are sent unencrypted",
        )


def has_control_database(settings: ApiSettings) -> bool:
    return bool(settings.database_url) or (settings.data / "control.sqlite").exists()


def _backlog_findings(lag: DeliveryLag, sizes: QueueSizes, now: datetime) -> Iterator[Found]:
    if lag.cursor is None:
        yield "ok", "webhooks: no subscriptions yet", ""
        return
    what = f"webhooks: {sizes.queued} attempts pending, {sizes.held} deliveries held"
    if lag.leader is None:
        yield ("warn", what, "no process is delivering: run `firm serve` (FIRM_DELIVER=true) or `firm deliver`")
        return
    late = 0.0 if lag.due_since is None else (now - lag.due_since).total_seconds()
    if late > _LATE_SECONDS:
        yield (
            "warn",
            f"{what}, {late:.0f} s late",
            "run more `firm deliver` processes; with PostgreSQL also on more machines",
        )
        return
    yield "ok", f"{what}; {lag.leader} matches events", ""


def _ledger_findings(installation: Installation, lag: DeliveryLag) -> Iterator[Found]:
    """Detects a database of another data folder, which would wait for sequences already used."""
    if lag.cursor is None:
        return
    with closing(ReleaseReader(installation.layout)) as reader:
        try:
            with reader.pin_release() as snapshot:
                last = snapshot.last_sequence
        except NoReleaseError:
            last = 0
    if lag.cursor > last:
        yield (
            "bad",
            f"webhooks: events up to {lag.cursor} were matched, but the ledger ends at {last}",
            "FIRM_DATA and FIRM_DATABASE_URL do not match, or a folder was restored without its database",
        )


def _can_open_secret(installation: Installation, sealed: bytes) -> bool:
    """Whether this installation's keys decrypt a stored secret; creates no keys."""
    given = installation.environment
    if not installation.settings.secrets_path.exists() and not (
        given.get("FIRM_PEPPER") and given.get("FIRM_SEALING_KEYS")
    ):
        return False
    try:
        SecretBox(installation.secrets().sealing_keys).open(sealed)
    except SealingError:
        return False
    except SecretsError:  # reported by another check
        return True
    return True
