"""What the datasets of ownership filings share: terms, fetching, redaction (docs/formats/us.md 4).

Filings named by the feeds are fetched as full submissions, header and documents in one body. Does not belong here:
rate limits and refusals (`us.sec_http`), or which filings are named (`feeds.pending_filings`).
"""

from __future__ import annotations

from functools import partial
from typing import Final

from connectors.contract.dataset import Dataset, GuardLimits
from connectors.kit.formats import BodyFormat
from connectors.us.fetch_each import FilingFetcher
from connectors.us.ownership.redact import redact
from connectors.us.register import ARCHIVES_URL, FILES_HOST, LICENCE

fetch_filings: Final = FilingFetcher(
    url_of=lambda filing: f"{ARCHIVES_URL}/data/{int(filing.cik)}/{filing.accession}.txt",
    name_of=lambda filing, _url: f"{filing.accession}.txt",
    expect=frozenset({BodyFormat.XML, BodyFormat.TEXT}),
).fetch
ownership_dataset: Final = partial(
    Dataset,
    licence=LICENCE,
    # a rejected row is a whole form, a large share of what comes in an hour; accepted forms have several rows
    guard_limits=GuardLimits(max_rejected=0.5),
    host=FILES_HOST,
    fetch=fetch_filings,
    redact=redact,
)
