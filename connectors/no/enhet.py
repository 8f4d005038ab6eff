"""Dataset no.enhet: single responses of Enhetsregisteret for entities that its change feed names.

See docs/formats/no.md 2, 3.1.

The responses are staged in the tables of no.enheter: the newer of bulk and response wins; on equal timestamps the
response. Belongs here: the declaration and which entities to request. Does not belong here: reading a response
(`enheter`), or patches, which are not applied.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Final

import polars as pl

from connectors.declare import Arrival, Cadence, Cursor, Dataset, Guard
from connectors.kit import staged
from connectors.no import enheter
from connectors.no.answers import GONE, OK, Question, answers
from connectors.no.enheter_fields import ENTITIES
from connectors.no.named import BULK, named
from connectors.no.oppdateringer_fields import ENTITIES as STREAM
from connectors.no.register import ENTITY_URL, HOST, LICENCE

if TYPE_CHECKING:
    from connectors.kit.http import Http

KEY: Final = "no.enhet"
ACCEPT: Final = "application/vnd.brreg.enhetsregisteret.enhet.v2+json;charset=UTF-8"


def wanted(tables: Mapping[str, pl.DataFrame]) -> Iterator[str]:
    """Yields entries of the entity feed, and `BULK` if entities were delivered in bulk."""
    if ENTITIES.name in tables:  # only its presence: a bulk is every column of a million rows
        yield BULK
    yield from named(tables, STREAM)


def _keeps(status: int, is_removed: bool) -> str | None:
    """Archives 410, and 404 of an entity the feed calls removed: both mean removal for legal reasons."""
    if status == OK:
        return ".json"
    return "-410.json" if status == GONE or is_removed else None


QUESTION: Final = Question(lambda number: ENTITY_URL + number, ACCEPT, _keeps)


def fetch(http: Http, cursor: Cursor | None, subjects: Iterable[str]) -> Iterator[Arrival]:
    """Fetches the entities named by the feed."""
    return answers(http, QUESTION, cursor, subjects)


DATASET: Final = Dataset(
    key=KEY,
    title="Enhetsregisteret: entities named by the change feed",
    licence=LICENCE,
    cadence=Cadence(cron="30 4 * * *", stale_after_hours=72),
    guard=Guard(max_rejected=0.05),
    host=HOST,
    staged=enheter.DATASET.staged,
    files=("enhet/**",),
    recognise=enheter.recognise,
    split=staged.single,
    read=enheter.read,
    fetch=fetch,
    wants=wanted,
)
