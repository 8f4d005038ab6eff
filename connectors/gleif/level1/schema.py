"""LEI records of every format as one flat row (docs/formats/news.md 3.1).

Belongs here: the path of each value in each format, and the staged table. Does not belong here: cutting a
body into records (`parse`), or which market a record belongs to (`dataset`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from lxml import etree

from connectors.kit.json.body import member_at, stripped_text
from warehouse.schema.types import Column, ColumnKind, Subject, Table

_T: Final = ColumnKind.TEXT
COLUMNS: Final = (
    Column("lei", _T, "LEI", nullable=False),
    Column("legal_name", _T, "legal name"),
    Column("registered_at", _T, "code of the registration authority, RA……"),
    Column("registered_as", _T, "number there, as entered"),
    Column("jurisdiction", _T, "law it is under: country, or country and region"),
    Column("country", _T, "country of the legal address"),
    Column("category", _T, "GENERAL, FUND, BRANCH, …"),
    Column("legal_form", _T, "ELF code"),
    Column("entity_status", _T, "ACTIVE, INACTIVE: of the LEI record, no status of a company"),
    Column("registration_status", _T, "ISSUED, LAPSED, …: of the LEI"),
    Column("last_update", _T, "when the record was last changed, as written"),
)
NUMBER: Final = "org_number"
SOLE: Final = "SOLE_PROPRIETOR"

Row = dict[str, str | None]

# column -> path in the API (attributes.…) and in the formats of LEI-CDF
_API: Final[Mapping[str, str]] = {
    "lei": "lei",
    "legal_name": "entity.legalName.name",
    "registered_at": "entity.registeredAt.id",
    "registered_as": "entity.registeredAs",
    "jurisdiction": "entity.jurisdiction",
    "country": "entity.legalAddress.country",
    "category": "entity.category",
    "legal_form": "entity.legalForm.id",
    "entity_status": "entity.status",
    "registration_status": "registration.status",
    "last_update": "registration.lastUpdateDate",
}
AUTHORITY: Final = "Entity.RegistrationAuthority.RegistrationAuthority"
CDF: Final[Mapping[str, str]] = {
    "lei": "LEI",
    "legal_name": "Entity.LegalName",
    "registered_at": f"{AUTHORITY}ID",
    "registered_as": f"{AUTHORITY}EntityID",
    "jurisdiction": "Entity.LegalJurisdiction",
    "country": "Entity.LegalAddress.Country",
    "category": "Entity.EntityCategory",
    "legal_form": "Entity.LegalForm.EntityLegalFormCode",
    "entity_status": "Entity.EntityStatus",
    "registration_status": "Registration.RegistrationStatus",
    "last_update": "Registration.LastUpdateDate",
}


def lei_table(market: str) -> Table:
    """The staged table of a market."""
    number = Column(NUMBER, _T, "number in the market's register; null where the record is no company of it")
    return Table(
        f"{market.lower()}_lei",
        "LEI records of a market.",
        ("lei",),
        (*COLUMNS, number),
        subjects=(Subject(numbers=("org_number", "registered_as"), names=("legal_name",)),),
    )


def row_from_api(record: object) -> Row:
    """One object of `data`."""
    return _build_row(_API, lambda path: stripped_text(member_at(record, "attributes", *path)))


def row_from_golden_copy(record: object) -> Row:
    """One object of `records`; text is the value of `$`."""
    return _build_row(CDF, lambda path: stripped_text(member_at(record, *path, "$")))


def row_from_xml(record: etree._Element) -> Row:
    """One LEIRecord; namespaces differ between versions and operators, local names do not."""

    def text(path: list[str]) -> str | None:
        found = record.find("/".join(f"{{*}}{step}" for step in path))
        return None if found is None else stripped_text(found.text)

    return _build_row(CDF, text)


def _build_row(paths: Mapping[str, str], text: Callable[[list[str]], str | None]) -> Row:
    return {column: text(path.split(".")) for column, path in paths.items()}
