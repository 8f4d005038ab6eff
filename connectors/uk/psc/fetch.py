"""Fetches PSC: the daily snapshot, and the lists of single companies from the REST API (docs/formats/uk.md 4).

`HttpClient` holds the REST API key per host. Does not belong here: the stream (`streaming_api`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from connectors.contract.pieces import Cursor, FetchedFile
from connectors.uk.bulk_download import BulkProduct, fetch_bulk
from connectors.uk.register import DOWNLOADS
from connectors.uk.rest_resources import fetch_pages, fetch_resource

if TYPE_CHECKING:
    from connectors.kit.http.client import HttpClient

_MOST_PAGES: Final = 1_000
PSC: Final = BulkProduct(
    f"https://{DOWNLOADS}/en_pscdata.html",
    re.compile(r"persons-with-significant-control-snapshot-[\d-]+\.zip", re.IGNORECASE),
    re.compile(r"psc-snapshot-[\d-]+_\d+of\d+\.zip", re.IGNORECASE),
)


def fetch_psc(http: HttpClient, after: Cursor | None, subjects: Iterable[str]) -> Iterator[FetchedFile]:
    """Fetches PSC lists of the given companies if there are any, else today's snapshot."""
    asked = list(subjects)
    if not asked:
        yield from fetch_bulk(http, PSC, after)
    for number in asked:
        for resource in ("persons-with-significant-control", "persons-with-significant-control-statements"):
            path = f"{number}/{resource}"
            yield from fetch_pages(http, path, f"rest/{path}", _MOST_PAGES, "an unexpected list")
        yield from fetch_resource(http, f"{number}/exemptions", f"rest/{number}/exemptions.json")
