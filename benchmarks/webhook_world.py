"""A data root for the webhook benchmarks: a small release, events that are published into it, subscriptions.

Events go the genuine way (`ReleaseStore.publish`); subscriptions and their companies are written as rows, because
20,000 requests would take longer than what is measured. Does not belong here: the service (`webhook_service`),
the events (`webhook_events`), receivers, measuring.
"""

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import polars as pl
from sqlalchemy import func, insert, select

from api.accounts.service import AccountService
from api.auth.encryption import SecretBox
from api.auth.service_secrets import ServiceSecrets, load_or_create
from api.common.clock import Clock
from api.common.ids import UlidGenerator
from api.database.engine import Database
from api.database.migrate import prepare_database
from api.database.models.watchlists import Watchlist, WatchlistCompany
from api.database.models.webhooks import EndpointState, SubscribedCompany, Subscription, SubscriptionSelector
from api.settings.service import ApiSettings
from api.webhooks.egress.signing import make_secret
from api.webhooks.filters.matching import filter_columns, subscription_selectors
from api.webhooks.filters.models import Filters
from benchmarks import api_world
from benchmarks.webhook_events import MARKET, company_id, event
from warehouse import schema_render
from warehouse.history.history import MarketHistory
from warehouse.publish.publisher import MarketPart, ReleaseStore
from warehouse.schema.codes import EVENT_TYPES
from warehouse.schema.tables import COMPANIES, EVENTS
from warehouse.storage.layout import Layout

OWNER = "bench@example.com"
_COMPANIES = 1_000  # in the release; events may be of others
_LOT = 20_000
_EVERY_TYPE = (1 << len(EVENT_TYPES)) - 1


@dataclass(frozen=True, slots=True)
class Target:
    """A subscription to be: where it is delivered and which companies it names, None for all; its filters."""

    url: str
    companies: Sequence[int] | None = None
    filters: Filters | None = None


class World:
    """One data root with its control-plane database."""

    def __init__(self, root: Path, database_url: str | None = None) -> None:
        self.layout = Layout(root)
        settings = ApiSettings(data=root)
        self.database_url = database_url or settings.control_database_url
        self.database: Database = prepare_database(self.database_url)
        self.secrets: ServiceSecrets = load_or_create(settings.secrets_path)
        self.events = 0
        """Published so far; the next one's number."""
        self._clock = Clock()
        self._ulids = UlidGenerator(self._clock.wall)
        accounts = AccountService(self.database, self.secrets.pepper, self._clock, self._ulids)
        self._account = accounts.create_account(OWNER, "business").account_id
        self._releases = ReleaseStore(self.layout, keep=2)
        self._found()

    def close(self) -> None:
        self.database.close()

    def _found(self) -> None:
        """The first release, without events."""
        at = self._clock.now()
        with MarketHistory(self.layout, MARKET) as history, history.transaction():
            for profiles, _ in api_world.chunks(MARKET, _COMPANIES, _COMPANIES):
                history.merge_snapshot(COMPANIES, profiles, profiles["company_id"], at)
        part = MarketPart(MARKET, self.layout.history_file(MARKET), "fresh", at)
        self._releases.publish({MARKET: part}, schema_render.polars_schema(EVENTS).to_frame())

    def publish(self, companies: Sequence[int]) -> float:
        """One release with an event of each of these companies; the monotonic instant just before it counts."""
        rows = [event(number, self.events + place) for place, number in enumerate(companies)]
        self.events += len(rows)
        schema = schema_render.polars_schema(EVENTS)
        built = self._releases.build({MARKET: self._part()}, pl.DataFrame(rows, schema=schema))
        if built is None:
            raise RuntimeError("nothing to publish")
        began = time.monotonic()
        self._releases.serve_release(built)
        return began

    def _part(self) -> MarketPart:
        return MarketPart(MARKET, self.layout.history_file(MARKET), "fresh", self._clock.now())

    def subscribe(self, targets: Iterable[Target]) -> list[str]:
        """Active subscriptions to every type, from the next event on; gives their ids."""
        secret = make_secret()
        sealed = SecretBox(self.secrets.sealing_keys).seal(secret)
        made: list[str] = []
        left = iter(targets)
        with self.database.engine.execution_options(firm_begin="BEGIN IMMEDIATE").begin() as connection:
            while lot := list(islice(left, _LOT)):
                ids = [self._ulids.make("whs") for _ in lot]
                rows = [self._subscription(one, target, sealed) for one, target in zip(ids, lot, strict=True)]
                connection.execute(insert(Subscription), rows)
                lanes = [{"subscription_id": one, "consecutive_failures": 0} for one in ids]
                connection.execute(insert(EndpointState), lanes)
                named = _named(ids, lot)
                while some := list(islice(named, _LOT)):
                    connection.execute(insert(SubscribedCompany), some)
                selectors = _selected(ids, lot)
                while some := list(islice(selectors, _LOT)):
                    connection.execute(insert(SubscriptionSelector), some)
                made += ids
        return made

    def watch(self, companies: Sequence[int]) -> str:
        """A watchlist of these companies; gives its id."""
        now, watchlist_id = self._clock.now(), self._ulids.make("wl")
        row = {"watchlist_id": watchlist_id, "account_id": self._account, "name": "bench", "companies": len(companies)}
        listed = ({"watchlist_id": watchlist_id, "company_id": company_id(one), "added_at": now} for one in companies)
        with self.database.writing() as session:
            session.execute(insert(Watchlist), [row | {"created_at": now, "updated_at": now, "revision": 1}])
            while some := list(islice(listed, _LOT)):
                session.execute(insert(WatchlistCompany), some)
        return watchlist_id

    def _subscription(self, subscription_id: str, target: Target, sealed: bytes) -> dict[str, Any]:
        now = self._clock.now()
        return {
            "subscription_id": subscription_id,
            "account_id": self._account,
            "endpoint_url": target.url,
            "event_types": list(EVENT_TYPES),
            "event_mask": _EVERY_TYPE,
            "all_companies": target.companies is None,
            "status": "active",
            "status_changed_at": now,
            "created_at": now,
            "updated_at": now,
            "revision": 1,
            "from_sequence": self.events,
            "secret": sealed,
            "secret_hint": "whsec_…none",
            **filter_columns(target.filters),
        }

    def count(self, table: Any, *conditions: Any) -> int:
        """Rows of a table."""
        with self.database.reading() as session:
            return session.scalar(select(func.count()).select_from(table).where(*conditions)) or 0


def _named(ids: list[str], lot: list[Target]) -> Iterator[dict[str, Any]]:
    for subscription_id, target in zip(ids, lot, strict=True):
        for position, number in enumerate(target.companies or ()):
            company = company_id(number)
            yield {"company_id": company, "subscription_id": subscription_id, "position": position}


def _selected(ids: list[str], lot: list[Target]) -> Iterator[dict[str, Any]]:
    for subscription_id, target in zip(ids, lot, strict=True):
        for selector, least in subscription_selectors(target.filters, EVENT_TYPES) if target.companies is None else ():
            yield {"selector": selector, "least_change": least, "subscription_id": subscription_id}
