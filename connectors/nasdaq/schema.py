"""The staged tables of exchange releases and of flagging notifications, one pair for each market.

Does not belong here: reading (`releases`, `major_holdings.dataset`), or the company of a row
(`Jurisdiction.links`).
"""

from __future__ import annotations

from typing import Final

from connectors.contract.dataset import HostLimit, Licence
from warehouse.schema.types import Column, ColumnKind, Subject, Table

HOST: Final = "api.news.eu.nasdaq.com"
VIEW_HOST: Final = "view.news.eu.nasdaq.com"
LIMITS: Final = tuple(HostLimit(host, 1.0) for host in (HOST, VIEW_HOST))
LICENCE: Final = Licence(
    name="Nasdaq terms of use",
    url="https://www.nasdaq.com/european-market-activity/news/company-news",
    attribution="Source: Nasdaq",
)

_T, _P = ColumnKind.TEXT, ColumnKind.PERCENT
RELEASE: Final = "disclosureId"
MESSAGE: Final = "messageId"
ISSUER: Final = "issuerKey"
HOLDER: Final = "holderKey"


def releases_table(name: str) -> Table:
    """Table of releases as the news service lists them; a release in several languages may be several rows."""
    return Table(
        name,
        "Exchange releases: one row per record of the news service.",
        (RELEASE,),
        (
            Column(RELEASE, _T, "number of the record", nullable=False),
            Column("categoryId", ColumnKind.INTEGER, "category; First North has numbers of its own"),
            Column("cnsCategory", _T, "its label"),
            Column("headline", _T, "headline", nullable=False),
            Column("language", _T, "language of the headline"),
            Column("languages", ColumnKind.TEXTS, "languages of the record"),
            Column("messageUrl", _T, "page of the release"),
            Column(MESSAGE, _T, "what distinguishes that page from others"),
            Column("releaseTime", ColumnKind.INSTANT, "released", nullable=False),
            Column("market", _T, "market", nullable=False),
            Column("company", _T, "label of the issuer: neither number, LEI nor ISIN"),
            Column(ISSUER, _T, "the label made comparable (`names`)"),
            Column("documentUrl", _T, "first attachment that is a document"),
        ),
        subjects=(Subject(names=("company",)),),
    )


def flaggings_table(name: str, more: tuple[Column, ...] = ()) -> Table:
    """Table of holders' positions, one per notification. `more`: additional columns of one market."""
    return Table(
        name,
        "Flagging notifications: one row per holder of one release.",
        ("source", HOLDER),
        (
            Column("source", _T, "page of the release, or the address it was copied from", nullable=False),
            Column(MESSAGE, _T, "what distinguishes that page from others; null of a copy"),
            Column("url", _T, "address"),
            Column("issuer", _T, "issuer as the text names it"),
            Column(ISSUER, _T, "the same made comparable"),
            Column("businessId", _T, "number of the issuer, where the text gives it"),
            Column("holder", _T, "holder as the text names them", nullable=False),
            Column(HOLDER, _T, "the same made comparable", nullable=False),
            Column("day", ColumnKind.DATE, "day the threshold was reached or crossed"),
            Column("shares", _P, "percent of shares, held directly and indirectly (total of A)"),
            Column("sharesBelow", _P, "the limit it is below, where no figure is given"),
            Column("sharesAbove", _P, "the limit it is above"),
            Column("votes", _P, "percent of votes, the same"),
            Column("votesBelow", _P, "the limit it is below"),
            Column("votesAbove", _P, "the limit it is above"),
            Column("instruments", _P, "percent through financial instruments (total of B)"),
            Column("total", _P, "percent of both (A + B)"),
            Column("isTotal", ColumnKind.BOOLEAN, "the text gives only the total, used for the shares"),
            Column("previousShares", _P, "percent of shares at the previous notification"),
            Column("previousVotes", _P, "percent of votes at the previous notification"),
            *more,
        ),
        subjects=(Subject(numbers=("businessId",), names=("issuer",)), Subject(names=("holder",))),
    )
