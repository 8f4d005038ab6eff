"""The service's settings, frozen; read once, at the composition root.

Nothing here reads the environment at import: `firm` calls `ApiSettings.from_environment(os.environ)`. Does not
belong here: secrets (`api.auth.service_secrets`), or settings of ingest (`pipelines.settings`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from api.settings.billing import BillingSettings
from api.settings.env import EnvReader
from api.settings.mail import MailSettings
from api.settings.tiers import DEFAULT, TierCatalogue
from api.settings.webhooks import WebhookSettings

DEFAULT_DATA = Path(".data")


@dataclass(frozen=True, slots=True)
class ApiSettings:
    """Every setting of the service. Environment names are `FIRM_` and the upper-case field name."""

    data: Path = DEFAULT_DATA
    """Folder of all state (FIRM_DATA)."""

    database_url: str = ""
    """Control-plane database; empty: SQLite in `data` (FIRM_DATABASE_URL)."""

    public_url: str = "http://127.0.0.1:8000"
    """Public base URL of the service, used in problem types, Link headers and OpenAPI servers."""

    host: str = "127.0.0.1"
    """Address to listen on."""

    port: int = 8000
    """Port to listen on."""

    key_cache_seconds: float = 30.0
    """How long a key look-up is cached in seconds: a revocation takes effect after at most this time."""

    list_concurrency: int = 2
    """Concurrent searches per process; further ones wait, so that profiles are never delayed."""

    list_wait_seconds: float = 2.0
    """Maximum waiting time of a search in seconds before 503."""

    list_seconds: float = 5.0
    """Maximum run time of a search in seconds before 503, so that endless ones do not block all slots."""

    access_log: bool = True
    """One JSON line per request on standard error."""

    shutdown_seconds: float = 10.0
    """Seconds that running requests get to finish on shutdown."""

    serve_workers: int = 1
    """Number of worker processes."""

    follow_seconds: float = 5.0
    """Seconds between checks for a newer release on machines that share releases (FIRM_OBJECT_STORE)."""

    trusted_proxies: tuple[str, ...] = ()
    """Addresses and networks of trusted proxies (X-Forwarded-For, Forwarded), and `unix`."""

    metrics: str = "local"
    """Who may read /metrics: `local` callers (this machine, private networks), `public`, or `off`."""

    tiers: TierCatalogue = DEFAULT
    """Limits of each tier (FIRM_TIERS is a file that overrides them)."""

    webhooks: WebhookSettings = field(default_factory=WebhookSettings)
    """Webhook delivery (FIRM_WEBHOOK_…, FIRM_DELIVER)."""

    mail: MailSettings = field(default_factory=MailSettings)
    """Mail to account owners (FIRM_SMTP_…)."""

    billing: BillingSettings = field(default_factory=BillingSettings)
    """Billing (FIRM_STRIPE_…, FIRM_TRIAL_DAYS)."""

    operators: frozenset[str] = frozenset()
    """E-mail addresses of accounts with access to the operator page (FIRM_OPERATORS)."""

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

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> "ApiSettings":
        """Reads settings from `FIRM_…` names; an unset or empty one keeps its default."""
        read, default = EnvReader(environment), cls()
        tiers = read.tiers("FIRM_TIERS")
        return cls(
            data=Path(read.text("FIRM_DATA", str(DEFAULT_DATA))),
            database_url=read.text("FIRM_DATABASE_URL", default.database_url),
            public_url=read.address("FIRM_PUBLIC_URL", default.public_url),
            host=read.text("FIRM_HOST", default.host),
            port=read.integer("FIRM_PORT", default.port, 0, 65535),
            key_cache_seconds=read.number("FIRM_KEY_CACHE_SECONDS", default.key_cache_seconds, 0, 3600),
            list_concurrency=read.integer("FIRM_LIST_CONCURRENCY", default.list_concurrency, 1, 64),
            list_wait_seconds=read.number("FIRM_LIST_WAIT_SECONDS", default.list_wait_seconds, 0, 60),
            list_seconds=read.number("FIRM_LIST_SECONDS", default.list_seconds, 0.1, 600),
            access_log=read.flag("FIRM_ACCESS_LOG", default.access_log),
            shutdown_seconds=read.number("FIRM_SHUTDOWN_SECONDS", default.shutdown_seconds, 0, 600),
            serve_workers=read.integer("FIRM_SERVE_WORKERS", default.serve_workers, 1, 256),
            follow_seconds=read.number("FIRM_FOLLOW_SECONDS", default.follow_seconds, 0.1, 3600),
            trusted_proxies=read.proxies("FIRM_TRUSTED_PROXIES"),
            tiers=tiers,
            metrics=read.choice("FIRM_METRICS", default.metrics, ("local", "public", "off")),
            webhooks=WebhookSettings.read(read),
            mail=MailSettings.read(read),
            billing=BillingSettings.read(read, tiers),
            operators=read.emails("FIRM_OPERATORS"),
        )
