"""What an operator may set for the service, frozen; read once, at the composition root.

Nothing here reads the environment at import: `firm` calls `ApiSettings.from_environment(os.environ)`.
Does not belong here: secrets (`api.secrets`), or settings of ingest (`pipelines.settings`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from api.billing.settings import BillingSettings
from api.setting_reader import SettingError, SettingReader
from api.tiers import DEFAULT, Tiers
from api.webhooks.settings import MailSettings, WebhookSettings

__all__ = ["DEFAULT_DATA", "ApiSettings", "SettingError"]

DEFAULT_DATA = Path(".data")


@dataclass(frozen=True, slots=True)
class ApiSettings:
    """Every setting of the service. Names in the environment are `FIRM_` and the upper-case field name."""

    data: Path = DEFAULT_DATA
    """Folder of all state (FIRM_DATA)."""

    database_url: str = ""
    """Control-plane database; empty: SQLite in `data` (FIRM_DATABASE_URL)."""

    public_url: str = "http://127.0.0.1:8000"
    """Address under which callers reach the service: problem types, Link and servers name it."""

    host: str = "127.0.0.1"
    """Address to listen on."""

    port: int = 8000
    """Port to listen on."""

    key_cache_seconds: float = 30.0
    """How long a key is believed without asking the database: a revocation takes at most this long."""

    list_concurrency: int = 2
    """Searches answered at once per process; the others wait, so that profiles never do."""

    list_wait_seconds: float = 2.0
    """How long a search may wait for its turn before 503."""

    list_seconds: float = 5.0
    """How long a search may take before 503: a few that never end must not take all turns."""

    access_log: bool = True
    """One JSON line per request on standard error."""

    shutdown_seconds: float = 10.0
    """How long running requests may take to finish when the service is asked to stop."""

    serve_workers: int = 1
    """Processes that serve."""

    follow_seconds: float = 5.0
    """How often a machine that shares releases (FIRM_OBJECT_STORE) looks for a newer one."""

    trusted_proxies: tuple[str, ...] = ()
    """Addresses and networks of proxies whose X-Forwarded-For or Forwarded is believed, and `unix`."""

    metrics: str = "local"
    """Who may read /metrics: `local` callers (this machine, private networks), `public`, or `off`."""

    tiers: Tiers = DEFAULT
    """What accounts of each tier may use (FIRM_TIERS names a file that changes it)."""

    webhooks: WebhookSettings = field(default_factory=WebhookSettings)
    """How events are delivered (FIRM_WEBHOOK_…, FIRM_DELIVER)."""

    mail: MailSettings = field(default_factory=MailSettings)
    """How owners are written to (FIRM_SMTP_…)."""

    billing: BillingSettings = field(default_factory=BillingSettings)
    """How accounts pay (FIRM_STRIPE_…, FIRM_TRIAL_DAYS)."""

    operators: frozenset[str] = frozenset()
    """E-mail addresses of accounts that see the operator's page (FIRM_OPERATORS)."""

    @property
    def bursts_path(self) -> Path:
        """The file by which the serving processes of one machine share bursts."""
        return self.data / "limits" / "bursts-1"

    @property
    def control_database_url(self) -> str:
        """The SQLAlchemy address of the control-plane database."""
        return self.database_url or f"sqlite:///{(self.data / 'control.sqlite').absolute()}"

    @property
    def secrets_path(self) -> Path:
        return self.data / "secrets.json"

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> "ApiSettings":
        """Settings from `FIRM_…` names; an unset or empty one keeps its default."""
        read, default = SettingReader(environment), cls()
        tiers = read.tiers("FIRM_TIERS")
        return cls(
            data=Path(read.text("FIRM_DATA", str(DEFAULT_DATA))),
            database_url=read.text("FIRM_DATABASE_URL", default.database_url),
            public_url=read.address("FIRM_PUBLIC_URL", default.public_url),
            host=read.text("FIRM_HOST", default.host),
            port=read.whole("FIRM_PORT", default.port, 0, 65535),
            key_cache_seconds=read.number("FIRM_KEY_CACHE_SECONDS", default.key_cache_seconds, 0, 3600),
            list_concurrency=read.whole("FIRM_LIST_CONCURRENCY", default.list_concurrency, 1, 64),
            list_wait_seconds=read.number("FIRM_LIST_WAIT_SECONDS", default.list_wait_seconds, 0, 60),
            list_seconds=read.number("FIRM_LIST_SECONDS", default.list_seconds, 0.1, 600),
            access_log=read.flag("FIRM_ACCESS_LOG", default.access_log),
            shutdown_seconds=read.number("FIRM_SHUTDOWN_SECONDS", default.shutdown_seconds, 0, 600),
            serve_workers=read.whole("FIRM_SERVE_WORKERS", default.serve_workers, 1, 256),
            follow_seconds=read.number("FIRM_FOLLOW_SECONDS", default.follow_seconds, 0.1, 3600),
            trusted_proxies=read.proxies("FIRM_TRUSTED_PROXIES"),
            tiers=tiers,
            metrics=read.choice("FIRM_METRICS", default.metrics, ("local", "public", "off")),
            webhooks=WebhookSettings.read(read),
            mail=MailSettings.read(read),
            billing=BillingSettings.read(read, tiers),
            operators=read.emails("FIRM_OPERATORS"),
        )
