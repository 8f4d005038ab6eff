"""`firm doctor` checks of webhooks: active workers, backlog, settings meant for trials. Changes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from typing import Final

from sqlalchemy.exc import SQLAlchemyError

from api.db import backlog
from api.db.backlog import Lag, Sizes
from api.db.engine import Database
from api.secrets import SecretsError
from api.settings import ApiSettings
from api.webhooks.matching import LEASE
from api.webhooks.sealing import Sealer, SealingError
from api.webhooks.settings import WebhookSettings
from firm.compose import Installation
from warehouse.reader import NoRelease, Reader

Found = tuple[str, str, str]
"""State (ok, warn or bad), the subject checked, and what to do about it."""

_LATE_SECONDS: Final = 300.0


def deliveries(installation: Installation) -> Iterator[Found]:
    """Checks settings, backlog, cursor and secrets; settings only if there is no database yet."""
    yield from _trials(installation.settings.webhooks)
    if not is_there(installation.settings):
        return
    now = datetime.now(UTC)
    with closing(Database(installation.settings.control_database_url)) as database:
        try:
            with database.reading() as session:
                connection = session.connection()
                lag, sizes = backlog.lag(connection, LEASE, now), backlog.sizes(connection)
                sealed = backlog.newest_secret(connection)
        except SQLAlchemyError as error:
            told = str(getattr(error, "orig", error)).strip()
            yield (
                "bad",
                "control-plane database",
                f"{told}: check FIRM_DATABASE_URL, or start `firm serve` once",
            )
            return
    yield from _standing(lag, sizes, now)
    yield from _ledger(installation, lag)
    if sealed is not None and not _opens(installation, sealed):
        yield (
            "bad",
            "sealing keys: they do not decrypt the secrets of subscriptions, so no webhook can be signed",
            "copy FIRM_DATA/secrets.json from the installation that made them, or add its key to FIRM_SEALING_KEYS",
        )


def _trials(settings: WebhookSettings) -> Iterator[Found]:
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


def is_there(settings: ApiSettings) -> bool:
    return bool(settings.database_url) or (settings.data / "control.sqlite").exists()


def _standing(lag: Lag, sizes: Sizes, now: datetime) -> Iterator[Found]:
    if lag.cursor is None:
        yield "ok", "webhooks: no subscriptions yet", ""
        return
    what = f"webhooks: {sizes.queued} attempts pending, {sizes.held} deliveries held"
    if lag.leader is None:
        yield (
            "warn",
            what,
            "no process is delivering: run `firm serve` (FIRM_DELIVER=true) or `firm deliver`",
        )
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


def _ledger(installation: Installation, lag: Lag) -> Iterator[Found]:
    """Detects a database of another data folder, which would wait for sequences already used."""
    if lag.cursor is None:
        return
    with closing(Reader(installation.layout)) as reader:
        try:
            with reader.pin() as snapshot:
                last = snapshot.last_sequence
        except NoRelease:
            last = 0
    if lag.cursor > last:
        yield (
            "bad",
            f"webhooks: events up to {lag.cursor} were matched, but the ledger ends at {last}",
            "FIRM_DATA and FIRM_DATABASE_URL do not match, or a folder was restored without its database",
        )


def _opens(installation: Installation, sealed: bytes) -> bool:
    """Whether this installation's keys decrypt a stored secret; creates no keys."""
    given = installation.environment
    if not installation.settings.secrets_path.exists() and not (
        given.get("FIRM_PEPPER") and given.get("FIRM_SEALING_KEYS")
    ):
        return False
    try:
        Sealer(installation.secrets().sealing_keys).open(sealed)
    except SealingError:
        return False
    except SecretsError:  # reported by another check
        return True
    return True
