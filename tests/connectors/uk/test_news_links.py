"""Wire items by the name of a public limited company: its own form or none, and no namesake of another form."""

import polars as pl

from connectors.contract.dataset import ComputedKey
from connectors.news.schema import wire_table
from connectors.uk import news
from tests.tables import check_cases


def keys(author: str, company: str) -> tuple[str | None, str | None]:
    """The keys of an item by this author and of a public limited company of this name."""
    link = news.news_links(wire_table("UK", "wires").name)[-1]
    assert isinstance(link.key, ComputedKey)
    assert isinstance(link.through_key, ComputedKey)
    item = pl.DataFrame({"author": [author], "lei": [None], "near": [True]}, schema_overrides={"lei": pl.String})
    register = pl.DataFrame({"CompanyName": [company], "CompanyCategory": ["Public Limited Company"]})
    return link.key.of(item).item(), link.through_key.of(register).item()


@check_cases(
    ("author", "company"),
    [
        ("Brightwater plc", "BRIGHTWATER PLC"),
        ("Brightwater", "BRIGHTWATER PUBLIC LIMITED COMPANY"),
        ("Brightwater P.L.C.", "BRIGHTWATER PLC"),
        ("The Law Debenture Corporation p.l.c.", "THE LAW DEBENTURE CORPORATION P.L.C."),
        ("Law Debenture", "THE LAW DEBENTURE CORPORATION P.L.C."),
        ("Brightwater ccc", "BRIGHTWATER CCC"),
        ("Brightwater UK plc", "BRIGHTWATER UK PLC"),
    ],
)
def test_item_by_its_own_name_finds_the_public_company(author: str, company: str) -> None:
    item, register = keys(author, company)
    assert item is not None
    assert item == register


@check_cases(
    ("author", "company"),
    [
        ("Brightwater Limited", "BRIGHTWATER PLC"),  # another company, which offers no shares
        ("Brightwater LLP", "BRIGHTWATER PLC"),
        ("Brightwater, Inc.", "BRIGHTWATER PLC"),
        ("Brightwater GmbH", "BRIGHTWATER PLC"),
        ("Brightwater plc", "BRIGHTWATER (UK) PLC"),  # a group's company in this country
        ("Brightwater", "BRIGHTWATER (UK) PLC"),
        ("Brightwater (UK) Limited", "BRIGHTWATER PLC"),
    ],
)
def test_item_by_the_name_of_another_company_finds_none(author: str, company: str) -> None:
    item, register = keys(author, company)
    assert item is None or item != register
