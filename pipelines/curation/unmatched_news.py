"""Review list of news and notices without a company: why, and which listed company may be meant.

Does not belong here: the links that were followed (`connectors`), or printing (`firm`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import polars as pl

from connectors.contract.dataset import Jurisdiction
from connectors.news.market import is_news
from connectors.news.schema import AUTHOR
from connectors.regulators import market as regulators_unmatched
from connectors.regulators import schema as regulators_schema
from name_matching.decide import REVIEWED, Candidate, CandidateMatcher, CandidateSet
from pipelines.steps.link_companies import CompanyLinker
from pipelines.workspace import Workspace
from warehouse.history.history import MarketHistory
from warehouse.schema.tables import COMPANIES, LISTINGS

NOBODY: Final = "no company matches the names or numbers in the item"
SEVERAL: Final = "several companies match the names or numbers in the item"
NO_NAME: Final = "the item has no name or number to look up"
COLUMNS: Final = ("register", "published_at", "title", "url", "why", "perhaps")
_TOLD: Final = (*COLUMNS[:-1], "name")


def find_unmatched_news(workspace: Workspace, jurisdiction: Jurisdiction, limit: int) -> pl.DataFrame:
    """The newest news and notices of a market without a company: COLUMNS.

    perhaps: the name of the one listed company with a similar enough name; a person decides.
    """
    with workspace.open_history(jurisdiction.code) as history:
        links = CompanyLinker(jurisdiction, history)
        told = regulators_schema.acts_table(jurisdiction.code)
        parts = [
            *_unmatched_items(links, jurisdiction),
            regulators_unmatched.unmatched_acts(jurisdiction.code, {told.name: history.present_rows(told)}),
        ]
        rows = pl.concat(part.select(_TOLD) for part in parts)
        newest = rows.sort("published_at", "register", "title", descending=[True, False, False]).head(limit)
        return newest.with_columns(_candidate_names(newest["name"], jurisdiction.code, history)).select(COLUMNS)


def _candidate_names(names: pl.Series, market: str, history: MarketHistory) -> pl.Series:
    listed = history.current_rows(LISTINGS)["company_id"].unique()
    companies = history.current_rows(COMPANIES, listed).filter("is_listed")
    candidates = CandidateMatcher(
        market, [Candidate(*row, is_listed=True) for row in companies.select("company_id", "name").iter_rows()]
    )
    found = {name: candidates.decide(name, CandidateSet.OPEN) for name in names.drop_nulls().unique()}
    near = {name: one.matched_name for name, one in found.items() if one.score >= REVIEWED}
    return pl.Series("perhaps", [near.get(name) for name in names], dtype=pl.String)


def _unmatched_items(links: CompanyLinker, jurisdiction: Jurisdiction) -> Iterator[pl.DataFrame]:
    for table, items in jurisdiction.news_items.items():
        rows = links.unlinked_rows(table)
        for several, why in ((None, NO_NAME), (False, NOBODY), (True, SEVERAL)):
            part = rows.filter(pl.col("_several").eq_missing(pl.lit(several, pl.Boolean)))
            # only wire items carry the issuer's name; other tables use the exchange's own names
            name = part[AUTHOR] if AUTHOR in part.columns else pl.lit(None, pl.String)
            told = items(part.drop("_several")).with_columns(name=name, why=pl.lit(why))
            yield told.filter(is_news())
