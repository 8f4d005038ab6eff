"""The feeds part of the market, filings and news: getcurrent, indexes, 8-K, Forms 25 and 15.

Belongs here: listing its datasets, their CIK columns and their mapping. Does not belong here: reading any of
them.
"""

from __future__ import annotations

from datetime import date
from typing import Final

from connectors.declare import SharedTables
from connectors.us import endings, getcurrent, headers, indexes, releases
from connectors.us import releases_fields as f
from connectors.us.parts import Part, Present, rows
from connectors.us.submissions_fields import FILED_TABLE
from warehouse.schema.tables import NEWS, NOTICES


def shared(present: Present, _today: date) -> SharedTables:
    """News from the headers of current reports, notices from the lists of filings."""
    return {
        NEWS.name: releases.news(rows(present, f.HEADERS)),
        NOTICES.name: releases.notices(rows(present, FILED_TABLE)),
    }


PART: Final = Part(
    datasets=(getcurrent.DATASET, indexes.DATASET, headers.DATASET, endings.DATASET),
    # the feeds only determine what to fetch: their rows alone concern no company
    numbers=dict.fromkeys(f.STAGED, f.CIK),
    shared=shared,
)
