"""Fetches BasicCompanyData: the monthly file of all companies (docs/formats/uk.md 3)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from connectors.uk.bulk_download import BulkProduct, fetch_bulk
from connectors.uk.licence import DOWNLOADS

if TYPE_CHECKING:
    from connectors.contract.dataset import Cursor, FetchedFile
    from connectors.kit.http.client import HttpClient

COMPANIES: Final = BulkProduct(
    f"https://{DOWNLOADS}/en_output.html",
    re.compile(r"BasicCompanyDataAsOneFile-[\d-]+\.zip", re.IGNORECASE),
    re.compile(r"BasicCompanyData-[\d-]+-part\d+_\d+\.zip", re.IGNORECASE),
)


def fetch_companies(http: HttpClient, after: Cursor | None, subjects: Iterable[str]) -> Iterator[FetchedFile]:
    """Fetches the newest BasicCompanyData; yields nothing if unchanged. There are no single-company requests."""
    del subjects
    yield from fetch_bulk(http, COMPANIES, after)
