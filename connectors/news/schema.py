"""The staged table of a wire: the same columns for all of them, one table for each wire and market.

Belongs here: names and types, and the frame in which every source of a market passes its items to `grouping`.
Does not belong here: reading any wire, or the mapping of a row (`grouping`, `market`).
"""

from __future__ import annotations

from typing import Final

import polars as pl

from warehouse.schema.types import Column, ColumnKind, Subject, Table

_T: Final = ColumnKind.TEXT

ID: Final = "id"
NUMBER: Final = "org_number"
AUTHOR: Final = "author"
LEI: Final = "lei"
ISIN: Final = "isin"
SYMBOL: Final = "symbol"
ENTITY: Final = "entity"


def wire_table(market: str, source: str) -> Table:
    """Table of one wire's releases for issuers of one market."""
    return Table(
        f"{market.lower()}_{source}",
        "Releases of issuers as a wire carries them: one row per item and language.",
        (ID,),
        (
            Column(ID, _T, "the wire's own id of the item", nullable=False),
            Column("group", _T, "group id of the versions of one release; null if the wire has none"),
            Column("corrects", _T, "id of the item that this one corrects"),
            Column("title", _T, "headline", nullable=False),
            Column("summary", _T, "text; null if it may not be redistributed"),
            Column("url", _T, "page of the item"),
            Column("publisher", _T, "publishing wire", nullable=False),
            Column("language", _T, "ISO 639-1"),
            Column("published_at", ColumnKind.INSTANT, "published", nullable=False),
            Column("subjects", ColumnKind.TEXTS, "the wire's own tags, sorted", nullable=False),
            Column("kind", _T, "key shared by versions in two languages, in addition to their minute", nullable=False),
            Column("categories", ColumnKind.TEXTS, "our categories", nullable=False),
            Column(AUTHOR, _T, "issuer as the wire names it"),
            Column(NUMBER, _T, "number of the issuer in the market's register"),
            Column(LEI, _T, "of the issuer; check digits hold"),
            Column(ISIN, _T, "of a share of the issuer; of several the market's own, then the first"),
            Column(SYMBOL, _T, "exchange and ticker, as XSTO:DUNI"),
            Column(ENTITY, _T, "the wire's own id of the issuer, used in requests; null if it has none"),
            Column("near", ColumnKind.BOOLEAN, "the item itself states this market", nullable=False),
        ),
        subjects=(Subject(numbers=("org_number", "lei"), names=("entity",)),),
    )


ITEM: Final = pl.Schema(
    {
        "company_id": pl.String(),
        "register": pl.String(),
        "native_id": pl.String(),
        "group": pl.String(),  # shared by versions of one release; null: matched by time, kind, language
        "corrects": pl.String(),  # native id of the item that this one corrects
        "kind": pl.String(),  # the source's own category, which versions in two languages share
        "title": pl.String(),
        "summary": pl.String(),
        "url": pl.String(),
        "publisher": pl.String(),
        "language": pl.String(),
        "published_at": pl.Datetime("us", "UTC"),
        "categories": pl.List(pl.String()),
        "raw": pl.String(),
        "observed_at": pl.Datetime("us", "UTC"),
    }
)
