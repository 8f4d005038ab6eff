"""What `firm doctor` says of webhooks: who delivers, what waits, what is set for trials alone. Changes nothing."""

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
"""State (ok, warn or bad), what was looked at, and what to do about it."""

_LATE_SECONDS: Final = 300.0


def deliveries(installation: Installation) -> Iterator[Found]:
    """Nothing of the database where there is none yet."""
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
            "sealing keys: they do not open the secrets of subscriptions, so that nothing can be signed here",
            "bring FIRM_DATA/secrets.json of the installation that made them, or name its key in FIRM_SEALING_KEYS",
        )


def _trials(settings: WebhookSettings) -> Iterator[Found]:
    if settings.allow_networks:
        shown = ", ".join(map(str, settings.allow_networks))
        yield (
            "warn",
            f"webhooks may go to {shown}",
            "empty FIRM_WEBHOOK_ALLOW_CIDRS where other people subscribe: they could reach your own machines",
        )
    if settings.allow_http:
        yield (
            "warn",
            "webhooks may go to http://",
            "set FIRM_WEBHOOK_ALLOW_HTTP=false where it is not a trial: bodies can be read on the way",
        )


def is_there(settings: ApiSettings) -> bool:
    return bool(settings.database_url) or (settings.data / "control.sqlite").exists()


def _standing(lag: Lag, sizes: Sizes, now: datetime) -> Iterator[Found]:
    if lag.cursor is None:
        yield "ok", "webhooks: nobody has subscribed yet", ""
        return
    what = f"webhooks: {sizes.queued} attempts to be made, {sizes.held} deliveries held"
    if lag.leader is None:
        yield (
            "warn",
            what,
            "nobody delivers at this moment: run `firm serve` (FIRM_DELIVER=true) or `firm deliver`",
        )
        return
    late = 0.0 if lag.due_since is None else (now - lag.due_since).total_seconds()
    if late > _LATE_SECONDS:
        yield (
            "warn",
            f"{what}, {late:.0f} s late",
            "run more of `firm deliver`, on PostgreSQL also on more machines",
        )
        return
    yield "ok", f"{what}; {lag.leader} matches events", ""


def _ledger(installation: Installation, lag: Lag) -> Iterator[Found]:
    """A database that belongs to another data folder waits for events that were there already."""
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
            "FIRM_DATA and FIRM_DATABASE_URL do not belong together, or a folder was restored without its database",
        )


def _opens(installation: Installation, sealed: bytes) -> bool:
    """Whether this installation's keys open what is stored; no key is made for it."""
    given = installation.environment
    if not installation.settings.secrets_path.exists() and not (
        given.get("FIRM_PEPPER") and given.get("FIRM_SEALING_KEYS")
    ):
        return False
    try:
        Sealer(installation.secrets().sealing_keys).open(sealed)
    except SealingError:
        return False
    except SecretsError:  # told by itself
        return True
    return True
