"""Groups and holdings of a company, as responses show them (docs/contract/contract.md 4.4b, 4.4c).

Does not belong here: owners (`api.companies.schemas.companies`).
"""

from datetime import date, datetime
from typing import Annotated

from api.companies.schemas.companies import HoldingSource, Owner
from api.schemas import declare, shared
from api.schemas.declare import OMITTED, ResponseModel
from warehouse.schema.codes import RECONCILIATIONS, RELATIONS

_LEI = "^[0-9A-Z]{18}[0-9]{2}$"


class GroupLine(ResponseModel):
    """One relation of a company to a holder, merged from the sources that state it."""

    company_id: str | None = declare.text(
        60, "The parent, or the child; null for a parent of which only a name or an LEI is known."
    )
    holder_id: str = declare.natural_id("own", "Id of the holder within the company that it holds.")
    name: str | None = declare.text(1000, "As in its profile, else as stated; null if no source states it.")
    country: str | None = declare.text(2, "As in its profile, else as stated.", pattern="^[A-Z]{2}$")
    pct: float | None = declare.percent("Share of capital; null if only a band is known, or none.")
    pct_min: float | None = declare.percent("Lower bound.")
    pct_max: float | None = declare.percent("Upper bound.")
    votes_pct: float | None = declare.percent("Share of votes.")
    relation: str = declare.open_word(RELATIONS, "Kind of relation; only a shareholding has percentages.")
    is_direct: bool | None = declare.boolean("Whether the sources call it direct; null if they do not say.")
    holder_lei: str | None = declare.text(20, "LEI by which the source names the holder.", pattern=_LEI)
    level: int = declare.integer(1, 100, "Relations between this line and the requested company.")
    via: shared.CompanyId = declare.text(
        20, "The company at the other end of the relation.", pattern="^firm:[A-Z]{2}:[0-9A-Z-]{8,12}$"
    )
    in_circle: bool = declare.boolean("Whether both ends are in one of `circles`.")
    as_of: date = declare.date("Date of the percentage, else of the relation.")
    reconciliation: str = declare.word(RECONCILIATIONS, "Whether the sources agree.")
    sources: list[HoldingSource] = declare.array(100, "The relation according to each source.")


class GroupChildren(shared.Page[GroupLine]):
    """Children, by level, then by the id of their holder, largest share first."""


class CompanyGroup(shared.CompanyHead):
    """The group of a company."""

    ultimate_parents: list[GroupLine] = declare.array(
        100, "The ends of the chains of holders who decide, where a walk upwards reached them."
    )
    parents: list[GroupLine] = declare.array(100, "Holders of the company itself, those who decide first.")
    has_more_parents: bool = declare.boolean("Whether there are more; `/ownership` lists all owners.")
    children: GroupChildren
    circles: list[Annotated[list[shared.CompanyId], declare.array(3000, "Ids, sorted.")]] = declare.array(
        1000, "Companies that hold each other, directly or through others, among those visited."
    )
    visited_companies: int = declare.integer(1, 1000, "Companies whose relations were read.")
    is_complete: bool = declare.boolean("False if a limit ended the walk: there may be more lines and circles.")
    as_of: date = declare.date("The day, if `as_of` or `known_at` is given.", default=OMITTED)
    known_at: datetime = declare.instant("The time, if `as_of` or `known_at` is given.", default=OMITTED)


class Holding(Owner):
    """One line of ownership that names the company as holder, with the company that it holds."""

    company_id: shared.CompanyId
    name: shared.CompanyName
    country: shared.Country


class HoldingList(shared.Page[Holding], shared.CompanyHead):
    """What a company owns in others, largest first."""

    as_of: date = declare.date("The requested date.")
