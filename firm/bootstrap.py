"""Composition root: builds all objects from one reading of the environment.

Belongs here: which object is made from which setting. Does not belong here: commands, printing, defaults (the
settings classes have those).
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from dotenv import dotenv_values

from api.accounts.service import AccountService
from api.auth.encryption import SecretBox
from api.auth.service_secrets import ServiceSecrets, load_or_create
from api.common.clock import Clock
from api.common.ids import UlidGenerator
from api.database.engine import Database
from api.database.migrate import prepare_database
from api.settings.env import SettingError
from api.settings.service import ApiSettings
from pipelines.settings import IngestSettings as PipelineSettings
from warehouse.replication.settings import SETTING as OBJECT_STORE
from warehouse.storage.layout import Layout

if TYPE_CHECKING:
    from api.billing.service import BillingService
    from api.webhooks.runner import DeliveryRunner, Observe
    from warehouse.reader.reader import ReleaseReader


def read_environment() -> dict[str, str]:
    """Environment variables, which override `.env` in the current folder. Read once per command."""
    written = {name: value for name, value in dotenv_values(Path.cwd() / ".env").items() if value is not None}
    return {**written, **os.environ}


@dataclass(frozen=True, slots=True)
class Installation:
    """One data folder with its services (dependency container). Opens nothing until used."""

    environment: Mapping[str, str]
    settings: ApiSettings

    @classmethod
    def read(cls) -> Installation:
        """The installation described by the environment; raises SettingError for an invalid setting."""
        found = read_environment()
        return cls(found, ApiSettings.from_environment(found))

    def at(self, data: Path) -> Installation:
        """The same settings with another data folder, not shared with other machines."""
        alone = {**self.environment, "FIRM_DATA": str(data), OBJECT_STORE: ""}
        return Installation(alone, replace(self.settings, data=data))

    def reached(self, host: str | None, port: int | None) -> Installation:
        """The same installation on another host and port; its public URL follows unless it is set."""
        settings = replace(
            self.settings, host=host or self.settings.host, port=self.settings.port if port is None else port
        )
        if not self.environment.get("FIRM_PUBLIC_URL"):
            named = f"[{settings.host}]" if ":" in settings.host else settings.host  # an IPv6 address
            settings = replace(settings, public_url=f"http://{named}:{settings.port}")
        return Installation(self.environment, settings)

    @property
    def layout(self) -> Layout:
        """Paths below FIRM_DATA."""
        return Layout(self.settings.data)

    def secrets(self) -> ServiceSecrets:
        """Pepper, cursor keys and sealing keys; created on first use."""
        return load_or_create(self.settings.secrets_path, self.environment)

    @contextmanager
    def database(self) -> Iterator[Database]:
        """Opens the control-plane database, migrated to the newest schema."""
        database = prepare_database(self.settings.control_database_url)
        try:
            yield database
        finally:
            database.close()

    @contextmanager
    def deliveries(self, reader: ReleaseReader, observe: Observe) -> Iterator[DeliveryRunner]:
        """Delivery service with its own non-durable connections: work undone by a power failure is repeated."""
        from api.webhooks.runner import DeliveryRunner

        database = Database(self.settings.control_database_url, durable=False)
        sealer = SecretBox(self.secrets().sealing_keys)
        try:
            yield DeliveryRunner(self.settings, database, reader, sealer, Clock(), observe)
        finally:
            database.close()

    @asynccontextmanager
    async def run_deliveries(self, reader: ReleaseReader, observe: Observe) -> AsyncIterator[None]:
        """Delivers in the event loop of one API process: SQLite has one writer anyway."""
        with self.deliveries(reader, observe) as deliveries:
            async with deliveries.run_in_background():
                yield

    @contextmanager
    def followed(self) -> Iterator[None]:
        """Follows releases of other machines for the duration of the block; no effect without an object store."""
        chosen = PipelineSettings.read(self.environment)
        if chosen.object_store is None:
            yield
            return
        from warehouse.replication import follower as replication_follower  # imports the object-store client
        from warehouse.replication import releases

        keep, seconds = chosen.keep_releases, chosen.claim_seconds
        shared = releases.replicated_releases(chosen.layout, chosen.object_store, keep, seconds)
        follower = replication_follower.ReleaseFollower(chosen.layout, shared, self.settings.follow_seconds)
        with replication_follower.following_releases(follower):
            yield

    @contextmanager
    def accounts(self) -> Iterator[AccountService]:
        """Account and key administration."""
        clock = Clock()
        with self.database() as database:
            yield AccountService(database, self.secrets().pepper, clock, UlidGenerator(clock.wall), self.settings.tiers)

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
            accounts = AccountService(database, self.secrets().pepper, clock, UlidGenerator(clock.wall), settings.tiers)
            billing = BillingService(settings.billing, settings.tiers, database, accounts, clock, settings.public_url)
            try:
                yield billing
            finally:
                billing.close()
