"""News and acts that found no company, for a person to look through: what they say, and why nobody was found.

Does not belong here: the links that were followed (`connectors`), or printing (`firm`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import polars as pl

from connectors.declare import Jurisdiction
from connectors.news.market import Press, is_news
from connectors.regulators import acts, review
from pipelines.resources import Workspace
from pipelines.stages.linked import Links

NOBODY: Final = "nobody answers to what it names"
SEVERAL: Final = "several companies answer to what it names"
NO_NAME: Final = "it names nobody by what can be looked up"
COLUMNS: Final = ("register", "published_at", "title", "url", "why")


def unmatched(workspace: Workspace, jurisdiction: Jurisdiction, press: Press, limit: int) -> pl.DataFrame:
    """The newest news and acts of a market without a company: register, published_at, title, url, why."""
    with workspace.history(jurisdiction.code) as history:
        links = Links(jurisdiction, history)
        told = acts.table(jurisdiction.code)
        parts = [
            *_items(links, press),
            review.unmatched(jurisdiction.code, {told.name: history.present(told)}),
        ]
    rows = pl.concat(part.select(COLUMNS) for part in parts)
    return rows.sort("published_at", "register", "title", descending=[True, False, False]).head(limit)


def _items(links: Links, press: Press) -> Iterator[pl.DataFrame]:
    for table, items in press.items().items():
        rows = links.unanswered(table)
        for several, why in ((None, NO_NAME), (False, NOBODY), (True, SEVERAL)):
            part = rows.filter(pl.col("_several").eq_missing(pl.lit(several, pl.Boolean)))
            yield items(part.drop("_several")).filter(is_news()).with_columns(why=pl.lit(why))
