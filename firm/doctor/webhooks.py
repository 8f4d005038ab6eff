"""`firm doctor` checks of webhooks: active workers, backlog, settings meant for trials. Changes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from sqlalchemy.exc import SQLAlchemyError

from api.accounts.secret_fingerprints import WrongSecretError, compare_fingerprints
from api.auth.encryption import SealingError, SecretBox
from api.auth.service_secrets import SecretsError
from api.database.engine import Database
from api.observability import delivery_health
from api.observability.delivery_health import DeliveryLag, QueueSizes
from api.webhooks.delivery.fanout import LEASE
from firm.bootstrap import Installation
from firm.doctor import DoctorFinding
from pipelines.runtime.counted_words import counted
from warehouse.reader.reader import NoReleaseError, ReleaseReader
from warehouse.release.manifest import InvalidReleaseError

if TYPE_CHECKING:
    from api.settings.webhooks import WebhookSettings

_LATE_SECONDS: Final = 300.0
_MISMATCH: Final = "FIRM_DATA and FIRM_DATABASE_URL do not match, or a folder was restored without its database"


def webhook_findings(installation: Installation) -> Iterator[DoctorFinding]:
    """Checks settings, backlog, cursor and secrets; settings only if there is no database yet."""
    yield from _trial_findings(installation.settings.webhooks)
    if not installation.has_database:
        return
    now = datetime.now(UTC)
    with closing(Database(installation.settings.control_database_url)) as database:
        try:
            with database.reading() as session:
                connection = session.connection()
                lag, sizes = (
                    delivery_health.delivery_lag(connection, LEASE, now),
                    delivery_health.queue_sizes(connection),
                )
                sealed = delivery_health.newest_sealed_secret(connection)
            wrong_secrets = list(_secret_findings(installation, database))
        except SQLAlchemyError as error:
            told = str(getattr(error, "orig", error)).strip()
            yield DoctorFinding(
                "bad", "control-plane database", f"{told}: check FIRM_DATABASE_URL, or start `firm serve` once"
            )
            return
    yield from wrong_secrets
    yield from _backlog_findings(lag, sizes, now)
    yield from _ledger_findings(installation, lag)
    if sealed is not None and not _can_open_secret(installation, sealed):
        yield DoctorFinding(
            "bad",
            "sealing keys: they do not decrypt the secrets of subscriptions, so no webhook can be signed",
            "copy FIRM_DATA/secrets.json from the installation that made them, or add its key to FIRM_SEALING_KEYS",
        )


def _secret_findings(installation: Installation, database: Database) -> Iterator[DoctorFinding]:
    """Detects secrets that are not those the database is used with; creates and records none."""
    if installation.is_shared and not installation.has_secrets:
        yield DoctorFinding(
            "bad",
            "secrets: none are set, and other machines may share the database or store",
            "set FIRM_PEPPER, FIRM_CURSOR_KEYS and FIRM_SEALING_KEYS, the same on every machine",
        )
    elif installation.has_secrets:
        try:
            compare_fingerprints(database, installation.secrets())
        except WrongSecretError as error:
            what, _, hint = str(error).partition(": ")
            yield DoctorFinding("bad", f"secrets: {what}", hint)
        except SecretsError:  # reported by another check
            return


def _trial_findings(settings: WebhookSettings) -> Iterator[DoctorFinding]:
    if settings.allow_networks:
        shown = ", ".join(map(str, settings.allow_networks))
        yield DoctorFinding(
            "warn",
            f"webhooks may go to {shown}",
            "clear FIRM_WEBHOOK_ALLOW_CIDRS if others can subscribe: they could reach your internal network",
        )
    if settings.allow_http:
        yield DoctorFinding(
            "warn",
            "webhooks may go to http://",
            "set FIRM_WEBHOOK_ALLOW_HTTP=false in production: bodies are sent unencrypted",
        )


def _backlog_findings(lag: DeliveryLag, sizes: QueueSizes, now: datetime) -> Iterator[DoctorFinding]:
    if lag.cursor is None:
        yield DoctorFinding("ok", "webhooks: no subscriptions yet")
        return
    held = counted(sizes.held, "delivery", "deliveries")
    what = f"webhooks: {counted(sizes.queued, 'attempt')} pending, {held} held"
    if lag.leader is None:
        yield DoctorFinding(
            "warn", what, "no process is delivering: run `firm serve` (FIRM_DELIVER=true) or `firm deliver`"
        )
        return
    late = 0.0 if lag.due_since is None else (now - lag.due_since).total_seconds()
    if late > _LATE_SECONDS:
        yield DoctorFinding(
            "warn",
            f"{what}, {late:.0f} s late",
            "run more `firm deliver` processes; with PostgreSQL also on more machines",
        )
        return
    yield DoctorFinding("ok", f"{what}; {lag.leader} matches events")


def _ledger_findings(installation: Installation, lag: DeliveryLag) -> Iterator[DoctorFinding]:
    """Detects a database of another data folder, which would wait for sequences already used.

    With an object store a machine may only be behind the others: those that ingest fetch a release when they need it.
    """
    if lag.cursor is None:
        return
    with closing(ReleaseReader(installation.layout)) as reader:
        try:
            with reader.pin_release() as snapshot:
                last = snapshot.last_sequence
        except NoReleaseError:
            last = 0
        except InvalidReleaseError:  # reported with the ingested data
            return
    if lag.cursor > last:
        shares, advice = bool(installation.environment.get("FIRM_OBJECT_STORE")), _MISMATCH
        if shares:
            advice = f"run: firm release pull; if it stays, {_MISMATCH}"
        what = f"webhooks: events up to {lag.cursor} were matched, but the ledger ends at {last}"
        yield DoctorFinding("warn" if shares else "bad", what, advice)


def _can_open_secret(installation: Installation, sealed: bytes) -> bool:
    """Whether this installation's keys decrypt a stored secret; creates no keys."""
    if not installation.has_secrets:
        return False
    try:
        SecretBox(installation.secrets().sealing_keys).open(sealed)
    except SealingError:
        return False
    except SecretsError:  # reported by another check
        return True
    return True
