"""Composition root: builds all objects from one reading of the environment.

Belongs here: which object is made from which setting. Does not belong here: commands, printing, defaults (the
settings classes have those).
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, closing, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from api.accounts.secret_fingerprints import check_fingerprints
from api.accounts.service import AccountService
from api.auth.encryption import SecretBox
from api.auth.service_secrets import SecretSettingError, ServiceSecrets, load_or_create
from api.common.clock import Clock
from api.common.ids import UlidGenerator
from api.database.engine import Database
from api.database.migrate import prepare_database
from firm.environment import read_environment
from warehouse.settings.errors import SettingError
from warehouse.storage.layout import Layout

if TYPE_CHECKING:
    from litestar import Litestar

    from api.billing.service import BillingService
    from api.observability.metrics import WorkerSlot
    from api.settings.service import ApiSettings
    from api.watchlists.service import WatchlistService
    from api.webhooks.runner import DeliveryRunner, Observe
    from warehouse.reader.reader import ReleaseReader


@dataclass(frozen=True, slots=True)
class Installation:
    """One data folder with its services (dependency container). Opens nothing until used."""

    environment: Mapping[str, str]
    settings: ApiSettings

    @classmethod
    def read(cls) -> Installation:
        """The installation described by the environment; raises SettingError for an invalid setting."""
        from api.settings.service import ApiSettings

        found = read_environment()
        return cls(found, ApiSettings.read(found))

    def at(self, data: Path) -> Installation:
        """The same settings with another data folder, not shared with other machines."""
        alone = {**self.environment, "FIRM_DATA": str(data), "FIRM_OBJECT_STORE": ""}
        return Installation(alone, self.settings.model_copy(update={"data": data}))

    def reached(self, host: str | None, port: int | None) -> Installation:
        """The same installation on another host and port; its public URL follows unless it is set."""
        reached = {"host": host or self.settings.host, "port": self.settings.port if port is None else port}
        settings = self.settings.model_copy(update=reached)
        if not self.environment.get("FIRM_PUBLIC_URL"):
            named = f"[{settings.host}]" if ":" in settings.host else settings.host  # an IPv6 address
            settings = settings.model_copy(update={"public_url": f"http://{named}:{settings.port}"})
        return Installation(self.environment, settings)

    @property
    def layout(self) -> Layout:
        """Paths below FIRM_DATA."""
        return Layout(self.settings.data)

    @property
    def has_secrets(self) -> bool:
        """Whether secrets exist: stored in their file, or set in the environment."""
        given = self.environment
        return self.settings.secrets_path.exists() or bool(given.get("FIRM_PEPPER") and given.get("FIRM_SEALING_KEYS"))

    @property
    def has_database(self) -> bool:
        """Whether there is a control-plane database: one is set, or its file exists."""
        return bool(self.settings.database_url) or (self.settings.data / "control.sqlite").exists()

    @property
    def is_shared(self) -> bool:
        """Whether other machines may use the same database or object store."""
        url = self.settings.control_database_url
        return not url.startswith("sqlite") or bool(self.environment.get("FIRM_OBJECT_STORE"))

    def secrets(self) -> ServiceSecrets:
        """Pepper, cursor keys and sealing keys; created on first use, unless other machines must have the same.

        Raises SecretSettingError then.
        """
        if self.is_shared and not self.has_secrets:
            raise SecretSettingError(
                "FIRM_PEPPER, FIRM_CURSOR_KEYS and FIRM_SEALING_KEYS are not set, and FIRM_DATABASE_URL or "
                "FIRM_OBJECT_STORE may be shared: secrets made here alone would void the keys of the others. "
                "Set all three, the same on every machine; make each once with: openssl rand -base64 32"
            )
        return load_or_create(self.settings.secrets_path, self.environment)

    def checked_secrets(self, database: Database) -> ServiceSecrets:
        """The secrets; raises WrongSecretError if the database is used with others."""
        secrets = self.secrets()
        check_fingerprints(database, secrets, Clock().now())
        return secrets

    @contextmanager
    def database(self) -> Iterator[Database]:
        """Opens the control-plane database, migrated to the newest schema."""
        with closing(prepare_database(self.settings.control_database_url)) as database:
            yield database

    @contextmanager
    def application(self, worker_slot: WorkerSlot | None = None, *, delivers: bool = True) -> Iterator[Litestar]:
        """The service with its own reader and database; with `delivers` it delivers webhooks too."""
        from api.app import create_app
        from warehouse.reader.reader import ReleaseReader

        settings = self.settings
        with (
            closing(ReleaseReader(self.layout, seconds=settings.list_seconds)) as reader,
            closing(Database(settings.control_database_url)) as database,
        ):
            deliveries = partial(self.run_deliveries, reader) if delivers else None
            secrets = self.checked_secrets(database)
            yield create_app(settings, reader, database, secrets, worker_slot=worker_slot, deliveries=deliveries)

    @contextmanager
    def deliveries(self, reader: ReleaseReader, observe: Observe) -> Iterator[DeliveryRunner]:
        """Delivery service with its own non-durable connections: work undone by a power failure is repeated."""
        from api.webhooks.runner import DeliveryRunner

        with closing(Database(self.settings.control_database_url, durable=False)) as database:
            sealer = SecretBox(self.checked_secrets(database).sealing_keys)
            yield DeliveryRunner(self.settings, database, reader, sealer, Clock(), observe)

    @asynccontextmanager
    async def run_deliveries(self, reader: ReleaseReader, observe: Observe) -> AsyncIterator[None]:
        """Delivers in the event loop of one API process: SQLite has one writer anyway."""
        with self.deliveries(reader, observe) as deliveries:
            async with deliveries.run_in_background():
                yield

    @contextmanager
    def followed(self) -> Iterator[None]:
        """Follows releases of other machines for the duration of the block; no effect without an object store."""
        from pipelines.settings import IngestSettings

        chosen = IngestSettings.read(self.environment)
        if chosen.object_store is None:
            yield
            return
        from warehouse.replication import follower as replication_follower  # imports the object-store client
        from warehouse.replication import releases

        keep, seconds = chosen.keep_releases, chosen.claim_seconds
        shared = releases.replicated_releases(chosen.layout, chosen.object_store, keep, seconds, chosen.lease_url)
        follower = replication_follower.ReleaseFollower(chosen.layout, shared, self.settings.follow_seconds)
        with replication_follower.following_releases(follower):
            yield

    @contextmanager
    def accounts(self) -> Iterator[AccountService]:
        """Account and key administration."""
        with self.database() as database:
            yield self._account_service(database, Clock())

    def sign_in_link(self, account: str, lifetime: timedelta) -> str:
        """Creates a one-time sign-in link for an account (e-mail or id); raises AccountError if unknown.

        For operators; account owners get theirs by mail.
        """
        from api.dashboard.sign_in_mailer import sign_in_url

        with self.accounts() as accounts:
            return sign_in_url(accounts.sign_in_token(account, lifetime), self.settings.public_url)

    @contextmanager
    def billing(self) -> Iterator[BillingService]:
        """Billing service; raises SettingError if billing is not configured."""
        from api.billing.service import BillingService

        settings, clock = self.settings, Clock()
        if not settings.billing.is_on:
            raise SettingError(
                "billing is off: set FIRM_STRIPE_SECRET_KEY, FIRM_STRIPE_SIGNING_SECRET and FIRM_STRIPE_PRICES, "
                "or change tiers with: firm accounts set-tier"
            )
        with self.database() as database:
            accounts = self._account_service(database, clock)
            billing = BillingService(settings.billing, settings.tiers, database, accounts, clock, settings.public_url)
            with closing(billing):
                yield billing

    @contextmanager
    def watchlists(self) -> Iterator[WatchlistService]:
        """Watchlists of accounts."""
        from api.database.engine import AsyncDatabase
        from api.watchlists.service import WatchlistService

        clock = Clock()
        with self.database() as database, closing(AsyncDatabase(database)) as control:
            yield WatchlistService(control, self.settings.tiers, clock, UlidGenerator(clock.wall))

    def _account_service(self, database: Database, clock: Clock) -> AccountService:
        pepper = self.checked_secrets(database).pepper
        return AccountService(database, pepper, clock, UlidGenerator(clock.wall), self.settings.tiers)
