"""Settings of an installation of the pipelines, as one frozen object.

Read once, by the code that composes a process (`firm`, `definitions`), and passed on. Does not belong here:
rules of the data (guards are part of the declarations), or settings of the API.
"""

from __future__ import annotations

import base64
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Final, Self

from pydantic import Field, model_validator

from warehouse.exports.formats import FORMATS, TABLE_FORMATS
from warehouse.replication.settings import StoreAddress, StoreSettings
from warehouse.schema import previews
from warehouse.settings.area import AreaSettings, from_text
from warehouse.settings.texts import DATABASE, parse_path, split_commas
from warehouse.storage.layout import Layout

MARK_KEY_BYTES: Final = 32
# dagster-postgres stores events with a statement that only this driver accepts; a bare URL selects another
# driver.
_DRIVER: Final = "postgresql+psycopg2://"
_DATABASE: Final = re.compile(
    r"sqlite(\+\w+)?://.*|postgresql(\+\w+)?://(.*@)?(\[[0-9A-Fa-f:.]+\]|[^:/@\[\]]*)(:[0-9]+)?([/?].*)?"
)
_POSTGRESQL: Final = re.compile(r"postgresql(\+\w+)?://.+")
_HTTP: Final = re.compile(r"https?://.+")
_KEY_ID: Final = re.compile(r"[0-9a-f]{8}")
_REDIS: Final = re.compile(r"(rediss?|redis\+socket|sentinel)://.+")
PROJECT: Final = Path(__file__).resolve().parents[1]


def decode_mark_key(text: str) -> bytes:
    """The key of person marks from its text. Raises ValueError."""
    try:
        key = base64.b64decode(text, validate=True)
    except ValueError:
        key = b""
    if len(key) != MARK_KEY_BYTES:
        raise ValueError(f"must be base64 of {MARK_KEY_BYTES} bytes, not '…'")
    return key


def _parse_credentials(text: str) -> dict[str, tuple[str, str]]:
    """User and password by host. Error messages never repeat the value, which may be a key."""
    found: dict[str, tuple[str, str]] = {}
    for pair in text.split():
        host, equals, secret = pair.partition("=")
        user, colon, password = secret.partition(":")
        if not (host and equals and user and colon) or host[0] in "\"'":
            raise ValueError("must be host=user:password, separated by blanks, not '…'")
        found[host] = (user, password)
    return found


def _parse_key_ids(text: str) -> frozenset[str]:
    found = frozenset(text.split())
    if wrong := sorted(one for one in found if not _KEY_ID.fullmatch(one)):
        raise ValueError(f"must list ids of keys, as a1b2c3d4, separated by blanks, not {wrong[0]!r}")
    return found


def _parse_export_formats(text: str) -> tuple[str, ...]:
    found = tuple(dict.fromkeys(split_commas(text)))
    if not found or not set(found) <= set(FORMATS):
        raise ValueError(f"must list formats, separated by commas, out of {', '.join(FORMATS)}, not {text!r}")
    return found


def _parse_database(text: str) -> str:
    if text and not _DATABASE.fullmatch(text):
        raise ValueError(
            "is not a database URL: use postgresql://user:password@host/name, or leave it empty for SQLite, not '…'"
        )
    return text


def _parse_dagster_database(text: str) -> str:
    if not _POSTGRESQL.fullmatch(text):
        raise ValueError("must be postgresql://user:password@host/dagster, not '…'")
    return text


def _parse_iceberg_catalog(text: str) -> str:
    if not _POSTGRESQL.fullmatch(text) and not _HTTP.fullmatch(text):
        raise ValueError("must be postgresql://user:password@host/database or https://host/path, not '…'")
    return text


def _parse_broker(text: str) -> str:
    if not _REDIS.fullmatch(text):
        raise ValueError("must be redis://host:6379/0, not '…'")
    return text


class IngestSettings(AreaSettings):
    """Ingest."""

    data: Annotated[Path, from_text(parse_path)] = Field(
        default=Path(".data"), description="Folder of all state: archive, history, releases, Dagster's storage, keys."
    )
    preview_markets: Annotated[frozenset[str], from_text(previews.parse_previews)] = Field(
        default=frozenset(), description=previews.DESCRIPTION
    )
    user_agent: str = Field(
        default="firmdata (set FIRM_USER_AGENT to name yourself)",
        description="How registries see you; must hold a contact address before `firm ingest --live`.",
    )
    credentials: Annotated[Mapping[str, tuple[str, str]], from_text(_parse_credentials)] = Field(
        default={},
        repr=False,
        description="Keys of registries that want one (bulk files need none): host=user:password, separated by "
        "blanks, as api.company-information.service.gov.uk=YOUR-REST-KEY: "
        "stream.companieshouse.gov.uk=YOUR-STREAMING-KEY: "
        "portal.api.bolagsverket.se=YOUR-CLIENT-ID:YOUR-CLIENT-SECRET apiafr.scb.se=YOUR-KEY:",
    )
    workers: int = Field(default=0, ge=0, description="Worker processes that parse documents; 0: one per processor.")
    pool_documents: int = Field(
        default=1500, ge=1, description="From how many documents in a batch these processes are started."
    )
    keep_releases: int = Field(default=5, ge=1, description="Releases kept on disk.")
    keep_runs: int = Field(
        default=50,
        ge=1,
        description="Runs whose step results are kept on disk; those of the last two days stay besides.",
    )
    keep_dagster_days: int = Field(default=14, ge=1, description="For how many days Dagster's records of runs stay.")
    keep_exports: int = Field(default=3, ge=1, description="Exports kept of each market.")
    export_formats: Annotated[tuple[str, ...], from_text(_parse_export_formats)] = Field(
        default=TABLE_FORMATS,
        description="File formats of exports, separated by commas: parquet, ndjson, csv, bods (docs/bulk.md).",
    )
    keep_deltas: int = Field(default=30, ge=1, description="Deltas between exports kept of each market.")
    keep_iceberg_releases: int = Field(
        default=30, ge=1, description="Releases kept as tagged snapshots of Iceberg tables (`firm export --iceberg`)."
    )
    iceberg_catalog: Annotated[str, from_text(_parse_iceberg_catalog)] = Field(
        default="",
        repr=False,
        description="Catalogue of Iceberg tables: postgresql://user:password@host/database (the control-plane database "
        "may be it), or https:// for a REST catalogue; empty: a SQLite file in the tables' folder, in FIRM_DATA for "
        "tables on s3://.",
    )
    iceberg_token: str = Field(
        default="", repr=False, description="Token of the REST catalogue; what else it wants: docs/lakehouse.md."
    )
    mark_key: Annotated[bytes | None, from_text(decode_mark_key)] = Field(
        default=None,
        repr=False,
        description="Key of person marks, which tell persons of one name apart (docs/operating.md): base64 of 32 "
        "bytes, the same on every machine that ingests. Empty: made once into FIRM_DATA/marks.json.",
    )
    replaced_mark_keys: Annotated[frozenset[str], from_text(_parse_key_ids)] = Field(
        default=frozenset(),
        validation_alias="FIRM_MARK_KEY_REPLACES",
        description="Ids of keys of person marks that are lost or given up, separated by blanks: their marks count as "
        "none.",
    )
    store: StoreSettings = StoreSettings()
    claim_seconds: int = Field(
        default=60,
        ge=1,
        description="After how many seconds without a sign of life another machine may go on with a market that a "
        "machine holds.",
    )
    database_url: Annotated[str, from_text(_parse_database)] = Field(default="", repr=False, description=DATABASE)
    dagster_database_url: Annotated[str, from_text(_parse_dagster_database)] = Field(
        default="",
        repr=False,
        description="Dagster's own state in PostgreSQL (a database of its own), as "
        "postgresql://user:password@host/dagster; empty: SQLite in FIRM_DATA.",
    )
    celery_broker_url: Annotated[str, from_text(_parse_broker)] = Field(
        default="",
        repr=False,
        description="With FIRM_DAGSTER_DATABASE_URL and FIRM_OBJECT_STORE, the Redis by which `firm work` gets markets "
        "to take in, as redis://host:6379/0.",
    )

    @model_validator(mode="after")
    def _check_broker(self) -> Self:
        needed = {"FIRM_DAGSTER_DATABASE_URL": self.dagster_database_url, "FIRM_OBJECT_STORE": self.object_store}
        if self.celery_broker_url and (lacking := [name for name, value in needed.items() if not value]):
            raise ValueError(
                f"FIRM_CELERY_BROKER_URL must be empty without {' and '.join(lacking)}, by which workers share their "
                "state, not '…'"
            )
        return self

    @property
    def lease_url(self) -> str:
        """The PostgreSQL database of leases; empty if there is none."""
        return self.database_url if self.database_url.startswith("postgresql") else ""

    def alone_in(self, data: Path) -> Self:
        """The same settings with another data folder, not shared with other machines."""
        return self.model_copy(update={"data": data, "store": StoreSettings()})

    @property
    def object_store(self) -> StoreAddress | None:
        """State shared with other machines; None on a single machine."""
        return self.store.address

    @property
    def layout(self) -> Layout:
        """Layout of the data root, with absolute paths: Dagster's steps may run in another directory."""
        return Layout(self.data.resolve())

    @property
    def dagster_storage(self) -> Path:
        """Dagster's own state; passed as FIRM_DAGSTER_STORAGE, which `dagster.yaml` reads."""
        return self.data.resolve() / "dagster"

    @property
    def dagster_home(self) -> Path:
        """The folder of the `dagster.yaml` in effect: single machine, PostgreSQL or Celery."""
        if self.celery_broker_url:
            return PROJECT / "deploy" / "dagster" / "celery"
        return PROJECT / "deploy" / "dagster" / "postgresql" if self.dagster_database_url else PROJECT

    @property
    def dagster_environment(self) -> dict[str, str]:
        """Environment variables that `dagster.yaml` reads, and DAGSTER_HOME."""
        return {
            "DAGSTER_HOME": str(self.dagster_home),
            "FIRM_DAGSTER_STORAGE": str(self.dagster_storage),
            "FIRM_DAGSTER_DATABASE_URL": self.dagster_database_url.replace("postgresql://", _DRIVER, 1),
            "FIRM_CELERY_BROKER_URL": self.celery_broker_url,
        }

    @property
    def processes(self) -> int:
        """Number of worker processes in a pool."""
        return self.workers or os.cpu_count() or 1
