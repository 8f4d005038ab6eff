"""Wires the rooms together from one reading of the environment.

Belongs here: which object is made from which setting. Does not belong here: commands, printing, defaults
(settings classes have those).
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
    """What the process was given, over what `.env` in the current folder says. Read once per command."""
    written = {name: value for name, value in dotenv_values(Path.cwd() / ".env").items() if value is not None}
    return {**written, **os.environ}


@dataclass(frozen=True, slots=True)
class Installation:
    """One data folder with all that belongs to it. Opens nothing until asked."""

    environment: Mapping[str, str]
    settings: ApiSettings

    @classmethod
    def read(cls) -> Installation:
        """The installation that the environment describes; SettingError where a setting makes no sense."""
        found = environment()
        return cls(found, ApiSettings.from_environment(found))

    def at(self, data: Path) -> Installation:
        """The same settings over another data folder, which is shared with nobody."""
        alone = {**self.environment, "FIRM_DATA": str(data), OBJECT_STORE: ""}
        return Installation(alone, replace(self.settings, data=data))

    def reached(self, host: str | None, port: int | None) -> Installation:
        """The same installation listening elsewhere; its public address follows unless one is set."""
        settings = replace(
            self.settings, host=host or self.settings.host, port=self.settings.port if port is None else port
        )
        if not self.environment.get("FIRM_PUBLIC_URL"):
            named = f"[{settings.host}]" if ":" in settings.host else settings.host  # an IPv6 address
            settings = replace(settings, public_url=f"http://{named}:{settings.port}")
        return Installation(self.environment, settings)

    @property
    def layout(self) -> Layout:
        """Where everything lies below FIRM_DATA."""
        return Layout(self.settings.data)

    def secrets(self) -> Secrets:
        """Pepper and cursor keys; made once where there are none."""
        return load_or_create(self.settings.secrets_path, self.environment)

    @contextmanager
    def database(self) -> Iterator[Database]:
        """The control-plane database, brought up to date."""
        database = prepare(self.settings.control_database_url)
        try:
            yield database
        finally:
            database.close()

    @contextmanager
    def deliveries(self, reader: Reader, observe: Observe) -> Iterator[Deliveries]:
        """What delivers, on connections of its own: what a power failure undoes there is done again."""
        from api.webhooks.service import Deliveries

        database = Database(self.settings.control_database_url, durable=False)
        sealer = Sealer(self.secrets().sealing_keys)
        try:
            yield Deliveries(self.settings, database, reader, sealer, Clock(), observe)
        finally:
            database.close()

    @contextmanager
    def followed(self) -> Iterator[None]:
        """Fetches what other machines publish for the length of a block; where no store is set, nothing."""
        chosen = PipelineSettings.read(self.environment)
        if chosen.object_store is None:
            yield
            return
        from warehouse.remote import following, releases  # loads the client of the store

        keep, seconds = chosen.keep_releases, chosen.claim_seconds
        shared = releases.shared(chosen.layout, chosen.object_store, keep, seconds)
        follower = following.Follower(chosen.layout, shared, self.settings.follow_seconds)
        with following.followed(follower):
            yield

    @contextmanager
    def accounts(self) -> Iterator[Accounts]:
        """What an operator does with accounts and keys."""
        clock = Clock()
        with self.database() as database:
            yield Accounts(database, self.secrets().pepper, clock, Ulids(clock.wall), self.settings.tiers)

    @contextmanager
    def billing(self) -> Iterator[Billing]:
        """Paying for accounts; SettingError where nobody pays here."""
        from api.billing.service import Billing

        settings, clock = self.settings, Clock()
        if not settings.billing.is_on:
            raise SettingError(
                "nobody pays here: set FIRM_STRIPE_SECRET_KEY, FIRM_STRIPE_SIGNING_SECRET and FIRM_STRIPE_PRICES, "
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
