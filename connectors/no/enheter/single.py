"""Dataset no.enhet: single responses of Enhetsregisteret for entities that its change feed names.

See docs/formats/no.md 2, 3.1.

The responses are staged in the tables of no.enheter: the newer of bulk and response wins; on equal timestamps the
response. Belongs here: the declaration and which entities to request. Does not belong here: reading a response
(`dataset`), or patches, which are not applied.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Final

import polars as pl

from connectors.contract.dataset import Cadence, Cursor, Dataset, FetchedFile, GuardLimits
from connectors.kit import staging
from connectors.no.enheter import dataset
from connectors.no.enheter.fetch_single import GONE, OK, LookupApi, fetch_responses
from connectors.no.enheter.schema import ENTITIES
from connectors.no.oppdateringer.pending import BULK, pending_entries
from connectors.no.oppdateringer.schema import ENTITIES as STREAM
from connectors.no.register import ENTITY_URL, HOST, LICENCE

if TYPE_CHECKING:
    from connectors.kit.http.client import HttpClient

KEY: Final = "no.enhet"
ACCEPT: Final = "application/vnd.brreg.enhetsregisteret.enhet.v2+json;charset=UTF-8"


def subjects_to_fetch(tables: Mapping[str, pl.DataFrame]) -> Iterator[str]:
    """Yields entries of the entity feed, and `BULK` if entities were delivered in bulk."""
    if ENTITIES.name in tables:  # only its presence: a bulk is every column of a million rows
        yield BULK
    yield from pending_entries(tables, STREAM)


def _archive_suffix(status: int, is_removed: bool) -> str | None:
    """Archives 410, and 404 of an entity the feed calls removed: both mean removal for legal reasons."""
    if status == OK:
        return ".json"
    return "-410.json" if status == GONE or is_removed else None


QUESTION: Final = LookupApi(lambda number: ENTITY_URL + number, ACCEPT, _archive_suffix)


def fetch(http: HttpClient, cursor: Cursor | None, subjects: Iterable[str]) -> Iterator[FetchedFile]:
    """Fetches the entities named by the feed."""
    return fetch_responses(http, QUESTION, cursor, subjects)


DATASET: Final = Dataset(
    key=KEY,
    title="Enhetsregisteret: entities named by the change feed",
    licence=LICENCE,
    cadence=Cadence(cron="30 4 * * *", stale_after_hours=72),
    guard_limits=GuardLimits(max_rejected=0.05),
    host=HOST,
    staged_tables=dataset.DATASET.staged_tables,
    file_patterns=("enhet/**",),
    recognise_file=dataset.recognise_file,
    split_members=staging.no_split,
    read_batches=dataset.read_batches,
    fetch=fetch,
    subjects_to_fetch=subjects_to_fetch,
)
