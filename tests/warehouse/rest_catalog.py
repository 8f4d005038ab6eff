"""A REST catalogue of Iceberg tables over HTTP, as far as exports ask one: https://iceberg.apache.org/rest-catalog-spec/.

What it answers is pyiceberg's own: a catalogue in a SQLite file, and the models of the protocol. As hosted catalogues do,
it has several warehouses, gives tokens for credentials, and prefixes paths with the warehouse. Belongs here: the
protocol. Does not belong here: tests of exports.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from pyiceberg.catalog import Catalog
from pyiceberg.catalog.rest import CreateTableRequest, TableResponse
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.exceptions import CommitFailedException, NamespaceAlreadyExistsError, NoSuchTableError
from pyiceberg.partitioning import UNPARTITIONED_PARTITION_SPEC
from pyiceberg.table import CommitTableRequest, Table

from tests.answering import Quiet, answering

WAREHOUSE = "exports"
CREDENTIAL = "firmdata:of-the-client"
TOKEN = "given-for-the-credential"
_STATUS = {
    NoSuchTableError: HTTPStatus.NOT_FOUND,
    NamespaceAlreadyExistsError: HTTPStatus.CONFLICT,
    CommitFailedException: HTTPStatus.CONFLICT,
}
Answer = tuple[int, Any]


@dataclass
class RestCatalogServer:
    """A running catalogue. asked: method and path of each request. is_down: everything is answered 503."""

    tables: Catalog
    url: str = ""
    asked: list[str] = field(default_factory=list)
    is_down: bool = False

    def answer(self, method: str, path: str, query: dict[str, list[str]], body: bytes, token: str) -> Answer:
        self.asked.append(f"{method} {path}")
        if self.is_down:
            return refusal(HTTPStatus.SERVICE_UNAVAILABLE, "ServiceUnavailableException", "try later")
        if path == "/v1/oauth/tokens":
            return _give_token(parse_qs(body.decode()))
        if token != f"Bearer {TOKEN}":
            return refusal(HTTPStatus.UNAUTHORIZED, "NotAuthorizedException", "no valid token")
        if path == "/v1/config":
            return _configure(query)
        return self._of_tables(method, path.removeprefix(f"/v1/{WAREHOUSE}/namespaces").strip("/"), body)

    def _of_tables(self, method: str, path: str, body: bytes) -> Answer:
        try:
            return self._operate(method, path, body)
        except tuple(_STATUS) as error:
            return refusal(_STATUS[type(error)], type(error).__name__, str(error))

    def _operate(self, method: str, path: str, body: bytes) -> Answer:
        match method, path.split("/"):
            case "POST", [""]:
                self.tables.create_namespace(tuple(json.loads(body)["namespace"]))
                return HTTPStatus.OK, json.loads(body)
            case "POST", [namespace, "tables"]:
                asked = CreateTableRequest.model_validate_json(body)
                made = self.tables.create_table(
                    (namespace, asked.name),
                    asked.table_schema,
                    asked.location,
                    partition_spec=asked.partition_spec or UNPARTITIONED_PARTITION_SPEC,
                    properties=asked.properties,
                )
                return HTTPStatus.OK, _told(made)
            case "GET", [namespace, "tables", name]:
                return HTTPStatus.OK, _told(self.tables.load_table((namespace, name)))
            case "POST", [namespace, "tables", name]:
                change = CommitTableRequest.model_validate_json(body)
                table = self.tables.load_table((namespace, name))
                done = self.tables.commit_table(table, change.requirements, change.updates)
                return HTTPStatus.OK, json.loads(done.model_dump_json(by_alias=True))
            case _:
                return refusal(HTTPStatus.NOT_FOUND, "NoSuchOperation", path)


def _configure(query: dict[str, list[str]]) -> Answer:
    if query.get("warehouse") != [WAREHOUSE]:
        return refusal(HTTPStatus.BAD_REQUEST, "BadRequestException", "please name a warehouse")
    return HTTPStatus.OK, {"defaults": {}, "overrides": {"prefix": WAREHOUSE}}


def _give_token(form: dict[str, list[str]]) -> Answer:
    if [*form.get("client_id", []), *form.get("client_secret", [])] != CREDENTIAL.split(":"):
        return HTTPStatus.UNAUTHORIZED, {"error": "invalid_client", "error_description": "unknown client"}
    return HTTPStatus.OK, {"access_token": TOKEN, "token_type": "bearer", "expires_in": 3600}


def _told(table: Table) -> Any:
    told = TableResponse(**{"metadata-location": table.metadata_location, "metadata": table.metadata, "config": {}})
    return json.loads(told.model_dump_json(by_alias=True, exclude_none=True))


def refusal(status: int, kind: str, message: str) -> Answer:
    return status, {"error": {"message": message, "type": kind, "code": int(status)}}


@contextmanager
def rest_catalog(folder: Path) -> Iterator[RestCatalogServer]:
    """Serves a new catalogue until the block ends. folder: where it has its SQLite file."""
    folder.mkdir(parents=True, exist_ok=True)
    tables = SqlCatalog("served", uri=f"sqlite:///{folder}/served.sqlite", warehouse=folder.as_uri())

    made = RestCatalogServer(tables)

    class Handler(Quiet):
        protocol_version = "HTTP/1.1"

        def _serve(self) -> None:
            parts, token = urlsplit(self.path), self.headers.get("Authorization") or ""
            status, told = made.answer(self.command, parts.path, parse_qs(parts.query), self.read_body(), token)
            self.send_whole(status, json.dumps(told).encode(), {"Content-Type": "application/json"})

        do_GET = do_POST = _serve  # noqa: N815 -- the library's

    try:
        with answering(Handler) as made.url:
            yield made
    finally:
        tables.close()
