"""The feeds part of the market, filings and news: getcurrent, indexes, 8-K, Forms 25 and 15.

Belongs here: listing its datasets, their CIK columns and their mapping. Does not belong here: reading any of
them.
"""

from __future__ import annotations

from datetime import date
from typing import Final

from connectors.contract.dataset import SharedTables
from connectors.us.feeds import current_filings, edgar_index
from connectors.us.filing_headers import dataset as filing_headers_dataset
from connectors.us.filing_headers import news_and_notices
from connectors.us.filing_headers import schema as f
from connectors.us.parts import DatasetGroup, Present, present_rows
from connectors.us.profile import end_filings
from connectors.us.submissions.schema import FILED_TABLE
from warehouse.schema.tables import NEWS, NOTICES


def to_shared_tables(present: Present, _today: date) -> SharedTables:
    """News from the headers of current reports, notices from the lists of filings."""
    return {
        NEWS.name: news_and_notices.map_news(present_rows(present, f.HEADERS)),
        NOTICES.name: news_and_notices.map_notices(present_rows(present, FILED_TABLE)),
    }


PART: Final = DatasetGroup(
    datasets=(
        current_filings.DATASET,
        edgar_index.DATASET,
        filing_headers_dataset.DATASET,
        end_filings.DATASET,
    ),
    # the feeds only determine what to fetch: their rows alone concern no company
    numbers=dict.fromkeys(f.STAGED, f.CIK),
    shared=to_shared_tables,
)
