"""Types and properties that reconciliation names (docs/contract/contract.md 4.8e).

A type is `company`, or the companies of one market. A property is a key of the profile; some of them are what a
look-up takes of an item. Does not belong here: matching (`api.reconcile.matching`), or
values (`api.reconcile.company_values`).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from warehouse.schema.codes import SERVED
from warehouse.schema.markets import MARKETS

COMPANY: Final = "company"
ProfilePart = Literal["profile", "detail", "identifiers"]


class EntityType(NamedTuple):
    """A type of entities: the companies of some markets."""

    id: str
    name: str
    markets: tuple[str, ...]


ENTITY_TYPES: Final[Mapping[str, EntityType]] = {
    one.id: one
    for one in (
        EntityType(COMPANY, "Company", SERVED),
        *(
            EntityType(f"{COMPANY}:{code}", f"Company of {MARKETS[code].in_text or MARKETS[code].name}", (code,))
            for code in SERVED
        ),
    )
}


@dataclass(frozen=True, slots=True)
class CompanyProperty:
    """A property of companies. `part` and `member`: where its value is, in the profile or a part of it (4.1)."""

    id: str
    name: str
    part: ProfilePart
    member: str
    is_date: bool = False
    is_of_item: bool = False
    """Whether look-ups take it of an item, so that it identifies companies or chooses between namesakes."""


def _property(part: ProfilePart, id_: str, name: str, member: str = "", *, is_of_item: bool = False) -> CompanyProperty:
    return CompanyProperty(id_, name, part, member or id_, id_.endswith("_date"), is_of_item)


PROPERTIES: Final[Mapping[str, CompanyProperty]] = {
    one.id: one
    for one in (
        _property("profile", "country", "Country", is_of_item=True),
        _property("profile", "number", "Registry number", "org_number", is_of_item=True),
        _property("identifiers", "lei", "LEI", is_of_item=True),
        _property("identifiers", "vat", "VAT number", is_of_item=True),
        _property("identifiers", "isin", "ISIN", is_of_item=True),
        _property("identifiers", "ticker", "Symbol", is_of_item=True),
        _property("identifiers", "exchange_mic", "Exchange (MIC)", is_of_item=True),
        _property("profile", "municipality", "Municipality", is_of_item=True),
        _property("profile", "industry", "Industry code", "sni_code", is_of_item=True),
        _property("profile", "name", "Name"),
        _property("profile", "industry_label", "Industry", "sni_label"),
        _property("profile", "county", "County"),
        _property("profile", "registered_date", "Date of registration"),
        _property("profile", "status", "Status"),
        _property("profile", "is_listed", "Listed"),
        _property("profile", "latest_revenue", "Latest revenue"),
        _property("profile", "latest_currency", "Currency of the latest revenue"),
        _property("profile", "latest_year", "Year of the latest revenue"),
        _property("detail", "legal_form", "Legal form", "legal_form_label"),
        _property("detail", "status_detail", "Reason of the status"),
        _property("detail", "dissolved_date", "Date of dissolution"),
        _property("detail", "employees", "Employees"),
        _property("detail", "website", "Website"),
        _property("detail", "previous_names", "Former names"),
        _property("identifiers", "euid", "EUID"),
        _property("identifiers", "cik", "CIK"),
    )
}


def types_of(company_id: str) -> list[dict[str, str]]:
    """The types of a company, as answers have them."""
    market = company_id.split(":")[1]
    return [{"id": one.id, "name": one.name} for one in (ENTITY_TYPES[COMPANY], ENTITY_TYPES[f"{COMPANY}:{market}"])]


def markets_of_types(types: Iterable[str], *, in_all: bool) -> tuple[str, ...]:
    """Markets whose companies are of one of the types, or of all; of no type in particular: all that are served."""
    wanted = [set(ENTITY_TYPES[one].markets) for one in types]
    if not wanted:
        return SERVED
    found = set.intersection(*wanted) if in_all else set.union(*wanted)
    return tuple(code for code in SERVED if code in found)
