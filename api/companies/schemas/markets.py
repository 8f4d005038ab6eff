"""Markets as responses (docs/contract/contract.md 4.8a).

Does not belong here: recording freshness (`pipelines.steps.publish`), or what a route does
(`api.companies.routes.markets`).
"""

from datetime import datetime

from api.schemas import declare, shared
from api.schemas.declare import INT64, ResponseModel, open_to
from warehouse.schema.codes import MARKETS


class Dataset(ResponseModel):
    """Freshness and licence of one dataset; with include=reconciliation also unaccounted records."""

    dataset: shared.Register
    observed_at: datetime | None = declare.instant("Date of the served data in the register.")
    checked_at: datetime | None = declare.instant("When the register was last checked.")
    held_since: datetime | None = declare.instant(
        "Since when new data has been quarantined for review; null if it is not."
    )
    licence: str | None = declare.text(100, "Licence of the data.")
    licence_url: str | None = declare.url("URL of the licence text.")
    attribution: str | None = declare.text(1000, "Attribution to display with the data.")
    unlinked_rows: int | None = declare.integer(
        0, INT64, "Records that link to no company; null if not counted.", default=None
    )
    changed_subjects: int | None = declare.integer(
        0,
        INT64,
        "Records that name another subject than before under an unchanged id; null if not counted.",
        default=None,
    )


class RuleWithoutData(ResponseModel):
    """A rule that reads the absence of records of datasets that were never loaded, and so decides nothing."""

    rule: str = declare.text(100, "Name of the rule.", pattern="^[a-z][a-z0-9_.]*$")
    datasets: list[shared.Register] = declare.array(20, "Datasets that it reads.")
    undecided: int = declare.integer(0, INT64, "Number of rows that it leaves undecided.")


class Market(ResponseModel):
    """One market."""

    market: str = declare.text(2, "Market code.", pattern="^[A-Z]{2}$", json_schema_extra=open_to(MARKETS))
    name: str = declare.text(60, "Name in English.")
    state: str = declare.open_word(("served", "announced"), "Announced markets have no companies yet.")
    companies: int = declare.integer(0, INT64, "Number of companies served.")
    observed_at: datetime | None = declare.instant("Date of the newest of its datasets.")
    datasets: list[Dataset] = declare.array(100, "Source datasets of the market.")
    rules_without_data: list[RuleWithoutData] | None = declare.array(
        100, "Rules that decide nothing; null if not counted.", default=None
    )
    unexplained_statuses: int | None = declare.integer(
        0,
        INT64,
        "Companies whose registry status means another status, without a reason; null if not counted.",
        default=None,
    )


class MarketList(shared.Page[Market]):
    """All markets, served and announced."""
