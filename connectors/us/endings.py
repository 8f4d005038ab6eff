"""Dataset us.endings: the filings that show how filers that no longer report ended.

See docs/formats/us.md 9, 12.2.

The lists of `us.submissions` name them (`aging.ending`): removals and ends of registration from before the
feeds were followed, and the current reports around them, which may announce a dissolution. Each is fetched
once, in full. Does not belong here: reading a filing (`headers`), or what follows from it (`statuses`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Final

import polars as pl

from connectors.declare import Arrival, Cadence, Cursor, Guard
from connectors.us import headers_fetch
from connectors.us import releases_fields as r
from connectors.us import submissions_fields as f
from connectors.us.headers import dataset
from connectors.us.named import Filing

if TYPE_CHECKING:
    from connectors.kit.http import Http


def wanted(tables: Mapping[str, pl.DataFrame]) -> Iterator[str]:
    """Filings named by the filers' lists, oldest first."""
    if f.ENDINGS.name not in tables:
        return
    named = tables[f.ENDINGS.name].unique([f.CIK, f.ACCESSION]).sort(f.FILED, f.ACCESSION, f.CIK)
    for cik, accession, form, filed in named.select(f.CIK, f.ACCESSION, f.FORM, f.FILED).iter_rows():
        yield str(Filing(accession, cik, form, filed.isoformat()))


def fetch(http: Http, cursor: Cursor | None, subjects: Iterable[str]) -> Iterator[Arrival]:
    """Fetches the full text of each filing once."""
    yield from headers_fetch.fetch(http, cursor, subjects, headers_fetch.whole_url)


DATASET: Final = dataset(
    key=r.ENDINGS_KEY,
    title="EDGAR: filings that report how a filer ended",
    cadence=Cadence(cron="0 11 * * *", stale_after_hours=96),
    guard=Guard(max_rejected=0.05),
    files=("endings/**",),
    fetch=fetch,
    wants=wanted,
)
