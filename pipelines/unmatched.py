"""Review list of news and notices without a company: why, and which listed company may be meant.

Does not belong here: the links that were followed (`connectors`), or printing (`firm`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import polars as pl

from connectors.declare import Jurisdiction
from connectors.matching.deciding import REVIEWED, Candidate, Candidates, Set
from connectors.news.fields import AUTHOR
from connectors.news.market import Press, is_news
from connectors.regulators import acts, review
from pipelines.resources import Workspace
from pipelines.stages.linked import Links
from warehouse.history import History
from warehouse.schema.tables import COMPANIES, LISTINGS

NOBODY: Final = "no company matches the names or numbers in the item"
SEVERAL: Final = "several companies match the names or numbers in the item"
NO_NAME: Final = "the item has no name or number to look up"
COLUMNS: Final = ("register", "published_at", "title", "url", "why", "perhaps")
_TOLD: Final = (*COLUMNS[:-1], "name")


def unmatched(workspace: Workspace, jurisdiction: Jurisdiction, press: Press, limit: int) -> pl.DataFrame:
    """The newest news and notices of a market without a company: COLUMNS.

    perhaps: the name of the one listed company with a similar enough name; a person decides.
    """
    with workspace.history(jurisdiction.code) as history:
        links = Links(jurisdiction, history)
        told = acts.table(jurisdiction.code)
        parts = [
            *_items(links, press),
            review.unmatched(jurisdiction.code, {told.name: history.present(told)}),
        ]
        rows = pl.concat(part.select(_TOLD) for part in parts)
        newest = rows.sort("published_at", "register", "title", descending=[True, False, False]).head(limit)
        return newest.with_columns(_perhaps(newest["name"], jurisdiction.code, history)).select(COLUMNS)


def _perhaps(names: pl.Series, market: str, history: History) -> pl.Series:
    listed = history.open_rows(LISTINGS)["company_id"].unique()
    companies = history.open_rows(COMPANIES, listed).filter("is_listed")
    candidates = Candidates(
        market,
        [Candidate(*row, is_listed=True) for row in companies.select("company_id", "name").iter_rows()],
    )
    found = {name: candidates.decide(name, Set.OPEN) for name in names.drop_nulls().unique()}
    near = {name: one.matched_name for name, one in found.items() if one.score >= REVIEWED}
    return pl.Series("perhaps", [near.get(name) for name in names], dtype=pl.String)


def _items(links: Links, press: Press) -> Iterator[pl.DataFrame]:
    for table, items in press.items().items():
        rows = links.unanswered(table)
        for several, why in ((None, NO_NAME), (False, NOBODY), (True, SEVERAL)):
            part = rows.filter(pl.col("_several").eq_missing(pl.lit(several, pl.Boolean)))
            # only wire items carry the issuer's name; other tables use the exchange's own names
            name = part[AUTHOR] if AUTHOR in part.columns else pl.lit(None, pl.String)
            told = items(part.drop("_several")).with_columns(name=name, why=pl.lit(why))
            yield told.filter(is_news())
