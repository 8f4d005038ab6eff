"""Fetches the nightly bulk of entities from data.brreg.no.

Does not belong here: rate limits, retries and content checks (`connectors.kit.http.client`), single entities
(`fetch_single`), or the change feed (`oppdateringer`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from connectors.contract.dataset import Cursor, FetchedFile, Scope
from connectors.kit.formats import BodyFormat
from connectors.kit.http.response import NotModified, Validators
from connectors.no.register import ENTITY_URL

if TYPE_CHECKING:
    from connectors.kit.http.client import HttpClient

BULK_URL: Final = f"{ENTITY_URL}lastned/csv"
# The version is pinned: after a format change the server returns 406 instead of different columns.
BULK_ACCEPT: Final = "application/vnd.brreg.enhetsregisteret.enhet.v2+gzip;charset=UTF-8"
BULK_NAME: Final = "enheter.csv"


def fetch_bulk(http: HttpClient, cursor: Cursor | None, _subjects: Iterable[str]) -> Iterator[FetchedFile]:
    """Fetches all main entities, once a night; nothing if the ETag is unchanged."""
    since = None if cursor is None else Validators.of(cursor)
    # a gzip file, or a plain one if gzip was the content encoding
    answer = http.download(
        BULK_URL, expect={BodyFormat.GZIP, BodyFormat.TEXT}, since=since, headers={"Accept": BULK_ACCEPT}
    )
    if not isinstance(answer, NotModified):
        yield answer.to_fetched_file(BULK_NAME, Scope.FULL, answer.validators.cursor())
