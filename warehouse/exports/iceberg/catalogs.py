"""Where Iceberg tables are and which catalogue names them: a SQLite file, PostgreSQL or a REST service.

Does not belong here: tables (`writer`), requests to the object store of this installation (`warehouse.replication.s3`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Self

from pyiceberg.catalog import Catalog, load_catalog
from pyiceberg.catalog.sql import SqlCatalog

from warehouse.settings.errors import SettingError
from warehouse.storage import atomic_files
from warehouse.storage.layout import Layout

NAME: Final = "firmdata"  # of the catalogue and of the namespace of its tables
CATALOG_FILE: Final = "catalog.sqlite"
_S3: Final = re.compile(r"s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](/[A-Za-z0-9._/-]*[A-Za-z0-9._-])?")
_S3_NAMES: Final = {
    "AWS_ENDPOINT_URL": "s3.endpoint",
    "AWS_DEFAULT_REGION": "s3.region",
    "AWS_REGION": "s3.region",
    "AWS_ACCESS_KEY_ID": "s3.access-key-id",
    "AWS_SECRET_ACCESS_KEY": "s3.secret-access-key",
    "AWS_SESSION_TOKEN": "s3.session-token",
    "AWS_VIRTUAL_HOSTED_STYLE_REQUEST": "s3.force-virtual-addressing",
}
_NOT_PASSED_ON: Final = ("AWS_CA_BUNDLE", "AWS_SERVER_SIDE_ENCRYPTION", "AWS_SSE_KMS_KEY_ID")
_PATIENCE: Final = {"s3.connect-timeout": "10", "s3.request-timeout": "120"}  # seconds
_ANY_REGION: Final = "us-east-1"  # what a store that is not Amazon's takes; else Amazon would be asked


@dataclass(frozen=True, slots=True)
class IcebergTarget:
    """Location of the tables, as file:///folder or s3://bucket/prefix; the catalogue; how the store is reached.

    catalog: address of PostgreSQL or of a REST service; empty: the SQLite file.
    """

    location: str
    sqlite_file: Path
    catalog: str = field(default="", repr=False)
    token: str = field(default="", repr=False)
    store: Mapping[str, str] = field(default_factory=dict, repr=False)

    @classmethod
    def parse(cls, text: str, layout: Layout, aws: Mapping[str, str], catalog: str = "", token: str = "") -> Self:
        """The target from a folder or an s3:// address. aws: variables AWS_…, as every S3 client has them.

        Raises SettingError.
        """
        if not text.strip():  # as of a variable that is not set: the current folder would be taken
            raise SettingError("--iceberg must be a folder or s3://bucket/prefix, and is empty")
        if "://" not in text:
            folder = Path(text).resolve()
            return cls(folder.as_uri(), folder / CATALOG_FILE, catalog, token)
        location = text.rstrip("/")
        if not _S3.fullmatch(location):
            raise SettingError(f"--iceberg must be a folder or s3://bucket/prefix, not {text!r}")
        if unknown := [name for name in _NOT_PASSED_ON if aws.get(name)]:
            raise SettingError(
                f"{unknown[0]} does not reach Iceberg's files: unset it, and set encryption on the bucket and "
                "certificates in the system's store"
            )
        store = _PATIENCE | {known: aws[name] for name, known in _S3_NAMES.items() if aws.get(name)}
        if "s3.endpoint" in store:
            store.setdefault("s3.region", _ANY_REGION)
        file_name = location.removeprefix("s3://").replace("/", "-") + ".sqlite"
        return cls(location, layout.root / "iceberg" / file_name, catalog, token, store)


@contextmanager
def open_catalog(target: IcebergTarget) -> Iterator[Catalog]:
    """Opens the catalogue, with its namespace; a SQL catalogue is created if there is none.

    What a REST service wants besides (warehouse, credential, scope) is configured as pyiceberg documents it, under the
    catalogue's name: PYICEBERG_CATALOG__FIRMDATA__…
    """
    properties = {"py-io-impl": "pyiceberg.io.pyarrow.PyArrowFileIO", **target.store}
    catalog: Catalog
    if target.catalog.startswith("http"):
        if target.token:
            properties["token"] = target.token
        catalog = load_catalog(NAME, type="rest", uri=target.catalog, **properties)
    else:
        catalog = SqlCatalog(NAME, uri=_sql_address(target), warehouse=target.location, **properties)
    try:
        catalog.create_namespace_if_not_exists(NAME)
        yield catalog
    finally:
        catalog.close()


def _sql_address(target: IcebergTarget) -> str:
    if target.catalog:
        return re.sub(r"^postgres(ql)?(\+\w+)?://", "postgresql+psycopg://", target.catalog)
    atomic_files.make_folder(target.sqlite_file.parent)
    return f"sqlite:///{target.sqlite_file}"
