"""The staged table of acts: one row per act and company, the same columns for every authority of a market.

Belongs here: columns, one act to its rows. A title with several respondents names several companies: each has
its own row and link. Does not belong here: reading a feed (`feeds`), or finding companies (`market`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from connectors.regulators.authorities import Authority
from name_matching.company_markers import CompanyMarker
from name_matching.respondents import TitleCompany
from warehouse.schema.types import Column, ColumnKind, Subject, Table

SURE: Final = "register"  # instead of a legal form: the list contains companies only

_T: Final = ColumnKind.TEXT
_COLUMNS: Final = (
    Column("authority_code", _T, "US-SEC, GB-FCA, …; EU-ESMA where the register is ESMA's", nullable=False),
    Column("native_id", _T, "number of the release, id in the register, else the path of its page", nullable=False),
    Column("place", ColumnKind.INTEGER, "which of the companies it names, from 1", nullable=False),
    Column("register", _T, "dataset that reported it", nullable=False),
    Column("authority", _T, "name of the authority", nullable=False),
    Column("authority_country", _T, "ISO 3166-1 alpha-2"),
    Column("kind", _T, "docs/formats/news.md 1.9", nullable=False),
    Column("name", _T, "company as written"),
    Column("mark", _T, "how it is known as one: form, word, register"),
    Column("is_whole", ColumnKind.BOOLEAN, "false if a preceding «and» may be part of its name", nullable=False),
    Column("lei", _T, "if the source gives a valid one"),
    Column("title", _T, "headline, without persons where it lists respondents", nullable=False),
    Column("url", _T, "address of its page"),
    Column("published_at", ColumnKind.INSTANT, "as published", nullable=False),
    Column("amount", ColumnKind.MONEY, "fine, in whole units of the currency, halves rounded up"),
    Column("currency", _T, "ISO 4217"),
)


@dataclass(frozen=True, slots=True)
class ActRespondent:
    """A company that an act is about."""

    name: str | None
    company_marker: str
    is_whole: bool = True
    lei: str | None = None


@dataclass(frozen=True, slots=True)
class RegulatoryAct:
    """One act of an authority, before it is split by company."""

    authority: Authority
    native_id: str
    kind: str
    title: str
    url: str | None
    published_at: datetime
    respondents: tuple[ActRespondent, ...]
    amount: int | None = None
    currency: str | None = None


def acts_table(market: str) -> Table:
    """`<cc>_acts`."""
    return Table(
        f"{market.lower()}_acts",
        "Acts of financial regulators, one row per company that each names.",
        ("authority_code", "native_id", "place"),
        _COLUMNS,
        subjects=(Subject(numbers=("lei",), names=("name",)),),
    )


def to_respondents(companies: Sequence[TitleCompany]) -> tuple[ActRespondent, ...]:
    """Companies of a title as respondents of an act."""
    return tuple(
        ActRespondent(one.name, one.company_marker.value, one.is_whole)
        for one in companies
        if one.company_marker is not CompanyMarker.NONE
    )


def act_rows(register: str, act: RegulatoryAct) -> Iterator[dict[str, Any]]:
    """The staged rows of an act; none if it names no company."""
    for place, one in enumerate(act.respondents, start=1):
        yield {
            "authority_code": act.authority.code,
            "native_id": act.native_id,
            "place": place,
            "register": register,
            "authority": act.authority.name,
            "authority_country": act.authority.country,
            "kind": act.kind,
            "name": one.name,
            "mark": one.company_marker,
            "is_whole": one.is_whole,
            "lei": one.lei,
            "title": act.title,
            "url": act.url,
            "published_at": act.published_at,
            "amount": act.amount,
            "currency": act.currency,
        }
