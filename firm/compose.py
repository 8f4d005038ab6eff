"""Composition root: builds all objects from one reading of the environment.

Belongs here: which object is made from which setting. Does not belong here: commands, printing, defaults (the
settings classes have those).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from dotenv import dotenv_values

from api.accounts import Accounts
from api.clock import Clock
from api.db.engine import Database
from api.db.migrate import prepare
from api.secrets import Secrets, load_or_create
from api.settings import ApiSettings, SettingError
from api.ulids import Ulids
from api.webhooks.sealing import Sealer
from pipelines.settings import Settings as PipelineSettings
from warehouse.paths import Layout
from warehouse.remote.address import SETTING as OBJECT_STORE

if TYPE_CHECKING:
    from api.billing.service import Billing
    from api.webhooks.service import Deliveries, Observe
    from warehouse.reader import Reader


def environment() -> dict[str, str]:
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
        found = environment()
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

    def secrets(self) -> Secrets:
        """Pepper, cursor keys and sealing keys; created on first use."""
        return load_or_create(self.settings.secrets_path, self.environment)

    @contextmanager
    def database(self) -> Iterator[Database]:
        """Opens the control-plane database, migrated to the newest schema."""
        database = prepare(self.settings.control_database_url)
        try:
            yield database
        finally:
            database.close()

    @contextmanager
    def deliveries(self, reader: Reader, observe: Observe) -> Iterator[Deliveries]:
        """Delivery service with its own non-durable connections: work undone by a power failure is repeated."""
        from api.webhooks.service import Deliveries

        database = Database(self.settings.control_database_url, durable=False)
        sealer = Sealer(self.secrets().sealing_keys)
        try:
            yield Deliveries(self.settings, database, reader, sealer, Clock(), observe)
        finally:
            database.close()

    @contextmanager
    def followed(self) -> Iterator[None]:
        """Follows releases of other machines for the duration of the block; no effect without an object store."""
        chosen = PipelineSettings.read(self.environment)
        if chosen.object_store is None:
            yield
            return
        from warehouse.remote import following, releases  # imports the object-store client

        keep, seconds = chosen.keep_releases, chosen.claim_seconds
        shared = releases.shared(chosen.layout, chosen.object_store, keep, seconds)
        follower = following.Follower(chosen.layout, shared, self.settings.follow_seconds)
        with following.followed(follower):
            yield

    @contextmanager
    def accounts(self) -> Iterator[Accounts]:
        """Account and key administration."""
        clock = Clock()
        with self.database() as database:
            yield Accounts(database, self.secrets().pepper, clock, Ulids(clock.wall), self.settings.tiers)

    @contextmanager
    def billing(self) -> Iterator[Billing]:
        """Billing service; raises SettingError if billing is not configured."""
        from api.billing.service import Billing

        settings, clock = self.settings, Clock()
        if not settings.billing.is_on:
            raise SettingError(
                "billing is off: set FIRM_STRIPE_SECRET_KEY, FIRM_STRIPE_SIGNING_SECRET and FIRM_STRIPE_PRICES, "
                "or change tiers with: firm accounts set-tier"
            )
        with self.database() as database:
            accounts = Accounts(database, self.secrets().pepper, clock, Ulids(clock.wall), settings.tiers)
            billing = Billing(
                settings.billing, settings.tiers, database, accounts, clock, settings.public_url
            )
            try:
                yield billing
            finally:
                billing.close()
