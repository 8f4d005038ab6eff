"""Settings of an installation of the pipelines, as one frozen object.

Read once, by the code that composes a process (`firm`, `definitions`), and passed on. Does not belong here:
rules of the data (guards are part of the declarations), or settings of the API.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Self

from warehouse.replication.settings import SETTING as OBJECT_STORE
from warehouse.replication.settings import InvalidStoreAddressError, StoreAddress
from warehouse.storage.layout import Layout

DEFAULT_DATA: Final = Path(".data")
# dagster-postgres stores events with a statement that only this driver accepts; a bare URL selects another
# driver.
MARK_KEY_BYTES: Final = 32
_DRIVER: Final = "postgresql+psycopg2://"
PROJECT: Final = Path(__file__).resolve().parents[1]
DEFAULT_USER_AGENT: Final = "firmdata (set FIRM_USER_AGENT to name yourself)"


class PipelineSettingError(ValueError):
    """An invalid setting; the message says which, what it accepts and its value."""

    def __init__(self, name: str, value: str, takes: str) -> None:
        super().__init__(f"{name} must be {takes}, not {value!r}")
        self.name = name


@dataclass(frozen=True, slots=True)
class IngestSettings:
    """Settings of an ingest.

    data: FIRM_DATA, the root of all state.
    keep_releases: FIRM_KEEP_RELEASES, how many releases stay on disk.
    workers: FIRM_WORKERS, processes that parse documents; 0 means one per processor.
    pool_documents: FIRM_POOL_DOCUMENTS, minimum number of documents in a batch for which the process pool is
    started.
    keep_runs: FIRM_KEEP_RUNS, how many runs' step results stay on disk, besides those of the last two days.
    keep_dagster_days: FIRM_KEEP_DAGSTER_DAYS, for how many days Dagster's records of runs stay.
    keep_exports: FIRM_KEEP_EXPORTS, how many exports of each market stay on disk.
    user_agent: FIRM_USER_AGENT, the User-Agent sent to registries.
    credentials: FIRM_CREDENTIALS, `host=user:password` separated by blanks, for registries that require a
    key.
    object_store: FIRM_OBJECT_STORE, state shared with other machines; None on a single machine.
    dagster_database_url: FIRM_DAGSTER_DATABASE_URL, PostgreSQL for Dagster's own state; empty: SQLite in
    `data`.
    celery_broker_url: FIRM_CELERY_BROKER_URL, Redis that hands Dagster's runs to workers; empty: no workers.
    mark_key: FIRM_MARK_KEY, the key of person marks; None: the file below `data`.
    replaced_mark_keys: FIRM_MARK_KEY_REPLACES, ids of keys that are lost or given up: their marks count as none.
    claim_seconds: FIRM_CLAIM_SECONDS, seconds without a heartbeat after which a machine's lease of a market
    expires.
    """

    data: Path = DEFAULT_DATA
    keep_releases: int = 5
    workers: int = 0
    pool_documents: int = 1500
    keep_runs: int = 50
    keep_dagster_days: int = 14
    keep_exports: int = 3
    user_agent: str = DEFAULT_USER_AGENT
    credentials: Mapping[str, tuple[str, str]] = field(default_factory=dict, repr=False)
    object_store: StoreAddress | None = None
    mark_key: bytes | None = field(default=None, repr=False)
    replaced_mark_keys: frozenset[str] = frozenset()
    claim_seconds: int = 60
    dagster_database_url: str = field(default="", repr=False)
    celery_broker_url: str = field(default="", repr=False)

    @classmethod
    def read(cls, environment: Mapping[str, str]) -> Self:
        """Settings from FIRM_… variables, with defaults for those not set."""
        return cls(
            data=Path(environment.get("FIRM_DATA") or DEFAULT_DATA),
            keep_releases=_parse_count(environment, "FIRM_KEEP_RELEASES", 5, 1),
            workers=_parse_count(environment, "FIRM_WORKERS", 0, 0),
            pool_documents=_parse_count(environment, "FIRM_POOL_DOCUMENTS", 1500, 1),
            keep_runs=_parse_count(environment, "FIRM_KEEP_RUNS", 50, 1),
            keep_dagster_days=_parse_count(environment, "FIRM_KEEP_DAGSTER_DAYS", 14, 1),
            keep_exports=_parse_count(environment, "FIRM_KEEP_EXPORTS", 3, 1),
            user_agent=environment.get("FIRM_USER_AGENT") or DEFAULT_USER_AGENT,
            credentials=_parse_credentials(environment.get("FIRM_CREDENTIALS") or ""),
            object_store=_parse_object_store(environment),
            mark_key=_parse_mark_key(environment),
            replaced_mark_keys=frozenset((environment.get("FIRM_MARK_KEY_REPLACES") or "").split()),
            claim_seconds=_parse_count(environment, "FIRM_CLAIM_SECONDS", 60, 1),
            dagster_database_url=environment.get("FIRM_DAGSTER_DATABASE_URL") or "",
            celery_broker_url=_parse_broker_url(environment),
        )

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


def _parse_count(environment: Mapping[str, str], name: str, default: int, least: int) -> int:
    text = environment.get(name) or str(default)
    if not text.isdecimal() or int(text) < least:
        raise PipelineSettingError(name, text, f"a whole number from {least}")
    return int(text)


def _parse_mark_key(environment: Mapping[str, str]) -> bytes | None:
    text = environment.get("FIRM_MARK_KEY") or ""
    try:
        return decode_mark_key(text) if text else None
    except ValueError as error:
        raise PipelineSettingError("FIRM_MARK_KEY", "…", str(error)) from None


def decode_mark_key(text: str) -> bytes:
    """The key of person marks from its text. Raises ValueError."""
    try:
        key = base64.b64decode(text, validate=True)
    except ValueError:
        key = b""
    if len(key) != MARK_KEY_BYTES:
        raise ValueError(f"base64 of {MARK_KEY_BYTES} bytes")
    return key


def _parse_broker_url(environment: Mapping[str, str]) -> str:
    url = environment.get("FIRM_CELERY_BROKER_URL") or ""
    lacking = [name for name in ("FIRM_DAGSTER_DATABASE_URL", OBJECT_STORE) if not environment.get(name)]
    if url and lacking:
        needs = " and ".join(lacking)
        raise PipelineSettingError(
            "FIRM_CELERY_BROKER_URL", "…", f"empty without {needs}, by which workers share their state"
        )
    return url


def _parse_object_store(environment: Mapping[str, str]) -> StoreAddress | None:
    try:
        return StoreAddress.read(environment)
    except InvalidStoreAddressError:
        raise PipelineSettingError(
            OBJECT_STORE, environment[OBJECT_STORE], "s3://bucket or s3://bucket/prefix"
        ) from None


def _parse_credentials(text: str) -> dict[str, tuple[str, str]]:
    """Parses FIRM_CREDENTIALS. Error messages never repeat the value, which may be a key."""
    found: dict[str, tuple[str, str]] = {}
    for pair in text.split():
        host, equals, secret = pair.partition("=")
        user, colon, password = secret.partition(":")
        if not (host and equals and user and colon):
            raise PipelineSettingError("FIRM_CREDENTIALS", "…", "host=user:password, separated by blanks")
        found[host] = (user, password)
    return found
