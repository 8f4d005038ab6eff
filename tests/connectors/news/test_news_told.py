"""What the markets' own datasets tell as news: NewsWeb, Nasdaq, the National Storage Mechanism, and wires beside."""

import json
from collections.abc import Iterable
from datetime import UTC, date, datetime
from importlib import import_module
from typing import Any

import polars as pl

from connectors.contract.dataset import Link
from connectors.news.market import news_contribution
from tests.connectors.news.news_files import MARKETS, mfn, mfn_item, present, read, release, rss
from tests.tables import check_cases

TODAY = date(2026, 11, 16)
COMPANY = {
    "NO": "firm:NO:923609016",
    "SE": "firm:SE:5560360793",
    "FI": "firm:FI:0112038-9",
    "UK": "firm:UK:00445790",
    "US": "firm:US:US0000320193",
}


def news(market: str, bodies: Iterable[tuple[str, bytes]], company: str | None = None) -> list[dict[str, Any]]:
    """News of one company; of the market's registers only which companies there are is asked."""
    frames: dict[str, list[pl.DataFrame]] = {}
    for key, body in bodies:
        for batch in read(key, body):
            frames.setdefault(batch.table, []).append(batch.rows)
    tables = {name: present(pl.concat(parts), company or COMPANY[market]) for name, parts in frames.items()}
    known = {"companies": pl.DataFrame({"company_id": [COMPANY[market]]})}
    contribution = news_contribution(market, import_module(f"connectors.{market.lower()}.news").PRESS)
    return contribution.to_dependent_tables(known, tables, TODAY)["news"].sort("published_at", "news_id").to_dicts()


def message(number: int, **values: Any) -> dict[str, Any]:
    plain = {
        "messageId": number,
        "title": f"Equinor ASA: Tilbakekjøp av egne aksjer {number}",
        "category": [{"id": 1007, "category_no": "UTSTEDERS MELDEPLIKT VED HANDEL I EGNE AKSJER"}],
        "markets": ["XOSL"],
        "issuerId": 1309,
        "issuerSign": "EQNR",
        "issuerName": "Equinor ASA",
        "publishedTime": "2026-11-15T11:25:00.870Z",
        "test": False,
        "correctionForMessageId": 0,
        "correctedByMessageId": 0,
        "clientAnnouncementId": f"client-{number}",
    }
    return plain | values


def newsweb(*messages: dict[str, Any]) -> tuple[str, bytes]:
    header = {"OB_REQUEST_ID": "x", "result.val": 0, "http.code": 200, "result.text": "OK"}
    body = {"header": header, "data": {"messages": list(messages), "overflow": False}}
    return "no.newsweb", json.dumps(body).encode()


def test_newsweb_tells_headline_category_and_link() -> None:
    (found,) = news("NO", [newsweb(message(635746))])
    assert found | dict.fromkeys(("news_id", "raw", "observed_at")) == {
        "company_id": COMPANY["NO"],
        "news_id": None,
        "title": "Equinor ASA: Tilbakekjøp av egne aksjer 635746",
        "summary": None,
        "url": "https://newsweb.oslobors.no/message/635746",
        "publisher": "NewsWeb, Oslo Børs",
        "language": "no",
        "published_at": datetime(2026, 11, 15, 11, 25, 0, 870_000, tzinfo=UTC),
        "categories": ["own_shares"],
        "native_id": "635746",
        "supersedes": None,
        "told_by": ["no.newsweb:635746"],
        "register": "no.newsweb",
        "raw": None,
        "observed_at": None,
    }


def test_newsweb_pairs_languages_by_the_clients_id_else_by_minute_and_category() -> None:
    shared = {"clientAnnouncementId": "same"}
    later = {"publishedTime": "2026-11-15T11:31:00Z"}
    by_id = [message(1, **shared), message(2, title="Equinor: repurchase of own shares", **shared, **later)]
    day = {"publishedTime": "2026-11-14T11:25:40Z"}
    by_minute = [message(3, **day), message(4, title="Equinor: repurchase of the shares", **day)]
    found = news("NO", [newsweb(*by_id, *by_minute)])
    assert [one["told_by"] for one in found] == [["no.newsweb:3", "no.newsweb:4"], ["no.newsweb:1", "no.newsweb:2"]]
    assert [one["language"] for one in found] == ["en", "en"]


def test_newsweb_corrections_keep_the_id() -> None:
    wrong = message(1, correctedByMessageId=2)
    mended = message(2, correctionForMessageId=1, publishedTime="2026-11-15T12:25:00Z", title="Rettelse: til og av")
    (found,) = news("NO", [newsweb(wrong, mended)])
    assert (found["native_id"], found["title"], found["supersedes"]) == ("1", "Rettelse: til og av", "1")


def test_holdings_interest_rates_and_tests_are_no_news() -> None:
    left = [
        message(1, category=[{"id": 1006, "category_no": "FLAGGING"}]),
        message(2, category=[{"id": 1105, "category_no": "RENTEREGULERING"}]),
        message(3, test=True),
    ]
    assert news("NO", [newsweb(*left)]) == []


def nasdaq(number: int, **values: Any) -> dict[str, Any]:
    plain = {
        "disclosureId": number,
        "categoryId": 428,
        "headline": f"Esimerkki Oyj: release {number}",
        "language": "en",
        "languages": ["en"],
        "cnsCategory": "Inside information",
        "messageUrl": f"https://view.news.eu.nasdaq.com/view?id=b{number}&lang=en",
        "releaseTime": "2026-11-15 06:30:00",
        "market": "Main Market, Helsinki",
        "company": "Esimerkki Oyj",
    }
    return plain | values


def cns(*items: dict[str, Any]) -> tuple[str, bytes]:
    return "fi.nasdaq", json.dumps({"results": {"item": list(items)}}).encode()


def test_nasdaq_releases_in_two_languages_are_one() -> None:
    finnish = nasdaq(11, language="fi", headline="Esimerkki Oyj: tiedote")
    report = nasdaq(12, categoryId=153, cnsCategory="Interim report (Q1 and Q3)")
    found = news("FI", [cns(finnish, nasdaq(10), report)])
    assert sorted((one["native_id"], one["language"], one["categories"]) for one in found) == [
        ("10", "en", ["inside_information"]),
        ("12", "en", ["earnings"]),
    ]
    assert {one["publisher"] for one in found} == {"Nasdaq"}


def test_nasdaq_notices_of_holdings_are_no_news() -> None:
    flagged = nasdaq(1, categoryId=144, cnsCategory="Major shareholder announcements")
    unknown = nasdaq(2, categoryId=9144, cnsCategory="Suurimmat osakkeenomistajat - tiedote")
    assert news("FI", [cns(flagged, unknown)]) == []


def nsm(*sources: dict[str, Any]) -> tuple[str, bytes]:
    hits = [{"_index": "fca-nsm-searchdata", "_id": source["id"], "_source": source} for source in sources]
    return "uk.nsm", json.dumps({"took": 77, "hits": {"total": {"value": len(hits)}, "hits": hits}}).encode()


def announcement(native: str, **values: Any) -> dict[str, Any]:
    plain = {
        "id": native,
        "seq_id": native,
        "type": "Transaction in Own Shares",
        "headline": "Transaction in Own Shares",
        "company": "TESCO PLC",
        "lei": "2138002P5RNKC5W2JZ46",
        "publication_date": "2026-11-15T06:00:02Z",
        "submitted_date": "2026-11-15T06:12:19Z",
        "download_link": f"NSM/RNS/{native}.html",
    }
    return plain | values


def test_storage_tells_announcements_and_their_revisions_once() -> None:
    revised = announcement("b", seq_id="a", headline="Revised", publication_date="2026-11-16T06:00:02Z")
    found = news("UK", [nsm(announcement("a"), revised, announcement("c", headline=None))])
    assert {(one["native_id"], one["title"]) for one in found} == {("a", "Revised"), ("c", "Transaction in Own Shares")}
    assert [one["categories"] for one in found] == [["own_shares"], ["own_shares"]]
    assert {one["publisher"] for one in found} == {"FCA National Storage Mechanism"}


def test_dealings_of_others_holdings_and_strange_paths() -> None:
    left = [
        announcement("a", type="Form 8.3 - Example"),
        announcement("b", type="Holding(s) in Company"),
        announcement("c", publication_date="never", submitted_date="never"),
    ]
    assert news("UK", [nsm(*left)]) == []
    for path in ("https://evil.example/x", "/etc/passwd", "NSM/../../x", "a\nb"):
        (found,) = news("UK", [nsm(announcement("a", download_link=path))])
        assert found["url"] is None


def test_wires_are_told_beside_and_what_no_register_knows_is_not() -> None:
    bodies = [("se.mfn", mfn(mfn_item())), ("se.wires", rss(release(), country="Sweden"))]
    found = news("SE", bodies)
    assert [(one["register"], one["native_id"]) for one in found] == [
        ("se.wires", "globenewswire:3373999"),
        ("se.mfn", "group-1"),
    ]
    assert news("SE", bodies, company="firm:SE:5560000001") == []
    holding = mfn_item(properties={"tags": ["sub:ci:shareholder-announcement", ":regulatory"]})
    assert news("SE", [("se.mfn", mfn(holding))]) == []


def test_leis_of_wires_are_asked_for_with_those_of_the_market() -> None:
    (batch,) = read("se.mfn", mfn(mfn_item()))
    wants = MARKETS["SE"].dataset("se.lei").subjects_to_fetch
    assert wants is not None
    named = pl.DataFrame({"lei": ["5493006QMFDDMYWIAM13", None]})
    found = list(wants({"se_mfn": batch.rows, "se_insyn_emittent": named}))
    assert found == ["5493006QMFDDMYWIAM13", "549300A0JPRWG1KI7U06"]


def test_ways_to_a_company_begin_with_hard_keys() -> None:
    for market in ("NO", "SE", "FI", "UK"):
        code = market.lower()
        links = [link for link in MARKETS[market].links if link.table == f"{code}_wires"]
        assert (links[0].key, links[0].through) == ("lei", f"{code}_lei")
        names = [getattr(link.key, "name", link.key) for link in links]
        assert names[-1] == "author_name"
    american = [link.key for link in MARKETS["US"].links if link.table == "us_wires"]
    assert american[0] == "isin"
    # and no name alone
    symbols = ["symbol_words", "symbol_words_2", "symbol_words_3", "symbol_name", "symbol_name_2", "symbol_name_3"]
    assert [getattr(key, "name", None) for key in american[1:]] == symbols


@check_cases(
    ("symbol", "author", "listed", "name", "are_one"),
    [
        ("Nasdaq:EBIX", "Ebix, Inc.", "EBIX", "EBIX INC", True),
        ("NYSE:BRK.B", "Berkshire Hathaway Inc.", "BRK-B", "BERKSHIRE HATHAWAY INC", True),
        ("NYSE:KO", "The Coca-Cola Company", "KO", "COCA COLA CO", True),
        ("Nasdaq:EBIX", "Another Corp.", "EBIX", "EBIX INC", False),  # the ticker is used again
        ("Nasdaq:EBIX", None, "EBIX", "EBIX INC", False),
    ],
)
def test_a_ticker_counts_where_the_name_begins_alike(
    symbol: str, author: str | None, listed: str, name: str, are_one: bool
) -> None:
    tag = ("category", symbol, "https://www.globenewswire.com/rss/stock")
    (batch,) = read("us.wires", rss(release(1, tag, **{"dc:contributor": author}), country=None))
    link = _ticker_links()[0]
    key, through = link.key, link.through_key
    assert not isinstance(key, str)
    assert not isinstance(through, str)
    (ours,) = key.of(batch.rows)
    (theirs,) = through.of(pl.DataFrame({"cik": ["1"], "ticker": [listed], "name": [name], "exchange": [None]}))
    assert (ours == theirs and ours is not None) is are_one


def test_a_ticker_of_another_countrys_exchange_is_none_of_ours() -> None:
    tag = ("category", "TSX:EBIX", "https://www.globenewswire.com/rss/stock")
    (batch,) = read("us.wires", rss(release(1, tag, **{"dc:contributor": "Ebix, Inc."}), country=None))
    assert batch.rows["symbol"].to_list() == ["XTSE:EBIX"]
    key = _ticker_links()[0].key
    assert not isinstance(key, str)
    assert key.of(batch.rows).to_list() == [None]


def test_each_ticker_of_an_item_may_be_the_one_that_the_list_has() -> None:
    tags = [("category", one, "https://www.globenewswire.com/rss/stock") for one in ("Nasdaq:ACMEW", "Nasdaq:ACME")]
    (batch,) = read("us.wires", rss(release(1, *tags, **{"dc:contributor": "Acme Holdings, Inc."}), country=None))
    keys = [link.key for link in _ticker_links()]
    found = [key.of(batch.rows).to_list() for key in keys if not isinstance(key, str)]
    assert found == [["ACMEW|acme"], ["ACME|acme"], [None]]


def _ticker_links() -> list[Link]:
    links = [link for link in MARKETS["US"].links if link.table == "us_wires"]
    return [link for link in links if getattr(link.key, "name", "").startswith("symbol_name")]


def test_where_an_lei_says_who_is_meant_no_name_answers() -> None:
    nobody = {"local_refs": [], "isins": ["SE0000112724"], "tickers": []}
    (batch,) = read("se.mfn", mfn(mfn_item(1, author=nobody), mfn_item(2, author=nobody | {"leis": []})))
    key = [link.key for link in MARKETS["SE"].links if link.table == "se_mfn"][-1]
    assert not isinstance(key, str)
    assert key.of(batch.rows).to_list() == [None, "exempel"]


def test_british_names_lead_to_public_companies_alone() -> None:
    link = [link for link in MARKETS["UK"].links if link.table == "uk_wires"][-1]
    through = link.through_key
    assert not isinstance(through, str)
    listed = pl.DataFrame(
        {
            "CompanyName": ["TESCO PLC", "TESCO STORES LIMITED", "SAMPLE PLC", "X"],
            "CompanyCategory": ["Public Limited Company", "Private Limited Company", "PUBLIC LIMITED COMPANY", None],
        }
    )
    assert through.of(listed).to_list() == ["tesco", None, "sample", None]
    assert through.of(listed.clear()).to_list() == []
