"""The service's settings, frozen; read once, at the composition root (`firm.bootstrap`).

Does not belong here: secrets (`api.settings.secrets`), or settings of ingest (`pipelines.settings`).
"""

from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, Field, InstanceOf, model_validator

from api.settings.billing import BillingSettings
from api.settings.connections import ConnectionSettings
from api.settings.mail import MailSettings
from api.settings.parsers import parse_database_url, parse_emails, parse_proxies, parse_publishable_key, parse_tiers
from api.settings.tiers import TierCatalogue
from api.settings.webhooks import WebhookSettings
from warehouse.schema import previews
from warehouse.settings.area import AreaSettings, from_text
from warehouse.settings.texts import DATABASE, parse_base_url, parse_path


class ApiSettings(AreaSettings):
    """Service."""

    data: Annotated[Path, from_text(parse_path)] = Field(default=Path(".data"), description="Folder of all state.")
    preview_markets: Annotated[frozenset[str], from_text(previews.parse_previews)] = Field(
        default=frozenset(), description=previews.DESCRIPTION
    )
    host: str = Field(default="127.0.0.1", description="Address to listen on.")
    port: int = Field(default=8000, ge=0, le=65_535, description="Port to listen on.")
    public_url: Annotated[str, from_text(parse_base_url)] = Field(
        default="http://127.0.0.1:8000",
        description="The address callers know the service by: in problem types, Link headers and OpenAPI servers.",
    )
    database_url: Annotated[str, from_text(parse_database_url)] = Field(default="", repr=False, description=DATABASE)
    follow_seconds: float = Field(
        default=5.0,
        ge=0.1,
        le=3_600,
        description="How often, in seconds, a machine that serves or delivers looks for a newer release in "
        "FIRM_OBJECT_STORE.",
    )
    key_cache_seconds: float = Field(
        default=30.0,
        ge=0,
        le=3_600,
        description="Seconds a key is believed without asking the database (a revocation takes at most this long).",
    )
    tiers: Annotated[InstanceOf[TierCatalogue], from_text(parse_tiers)] = Field(
        default_factory=TierCatalogue,
        description="A file (TOML, or JSON by its suffix) that changes what tiers may use; empty: the built-in four. "
        "As [tiers.pro] monthly_requests = 60000, burst_per_second = 25, burst_capacity = 50, webhooks = true, "
        "subscriptions = 10, entity_ids = 1000, watchlist_companies = 10000, all_events = true, exports = true, "
        "event_streams = 2, monthly_cents = 14900; [clients] failed_authentications_per_second = 10, "
        "publishable_key_requests_per_second = 5. What is left out keeps its default.",
    )
    list_concurrency: int = Field(
        default=2,
        ge=1,
        le=64,
        description="Searches answered at once per process; further ones wait, so that profiles never do.",
    )
    list_wait_seconds: float = Field(
        default=2.0, ge=0, le=60, description="Seconds a search waits for its turn before 503."
    )
    list_seconds: float = Field(default=5.0, ge=0.1, le=600, description="Seconds a search may take before 503.")
    access_log: bool = Field(default=True, description="One JSON line per request on standard error.")
    shutdown_seconds: float = Field(
        default=10.0, ge=0, le=600, description="Seconds running requests get when the service is stopped."
    )
    operators: Annotated[frozenset[str], from_text(parse_emails)] = Field(
        default=frozenset(),
        description="Who runs this installation: e-mail addresses of accounts, separated by commas, that see "
        "/dashboard/operator (sources, runs, guards, queue). For everybody else there is no such page.",
    )
    public_companies_key: Annotated[str, from_text(parse_publishable_key)] = Field(
        default="",
        repr=False,  # what is written here by mistake may be a secret key
        description="A publishable key, bound to the host of FIRM_PUBLIC_URL, with which everybody sees pages of "
        "companies at /companies/ID: what they read counts as requests of its account. Empty: no such pages.",
    )
    serve_workers: int = Field(default=1, ge=1, le=256, description="Processes that serve.")
    trusted_proxies: Annotated[tuple[str, ...], from_text(parse_proxies)] = Field(
        default=(),
        description="Proxies before the service, as 10.0.0.0/8,192.0.2.7,unix: what they say of a caller's address "
        "(X-Forwarded-For, Forwarded) is believed.",
    )
    metrics: Annotated[Literal["local", "public", "off"], BeforeValidator(str.lower)] = Field(
        default="local", description="Who may read /metrics: local (this machine and private networks), public, or off."
    )
    docs_site: Path | None = Field(
        default=None,
        description="Folder of the documentation that is served at /docs, as make docs builds it. Empty: site in the "
        "folder of the project.",
    )
    connections: ConnectionSettings = ConnectionSettings()
    webhooks: WebhookSettings = WebhookSettings()
    mail: MailSettings = MailSettings()
    billing: BillingSettings = BillingSettings()

    @model_validator(mode="after")
    def _check_prices(self) -> Self:
        """Rejects prices of unknown tiers."""
        if unknown := [tier for tier, _ in self.billing.prices if tier not in self.tiers.names]:
            raise ValueError(
                f"FIRM_STRIPE_PRICES: {unknown[0]!r} is not a tier; tiers are {', '.join(self.tiers.names)}"
            )
        return self

    @property
    def bursts_path(self) -> Path:
        """The file through which the serving processes of one machine share bursts."""
        return self.data / "limits" / "bursts-1"

    @property
    def control_database_url(self) -> str:
        """The SQLAlchemy URL of the control-plane database."""
        return self.database_url or f"sqlite:///{(self.data / 'control.sqlite').absolute()}"

    @property
    def secrets_path(self) -> Path:
        return self.data / "secrets.json"
