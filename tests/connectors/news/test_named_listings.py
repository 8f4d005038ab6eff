"""Names before brackets with listings, in headlines and texts of wires (docs/formats/news.md 2.11)."""

import pytest

from tests.connectors.news.news_files import release, rows, rss
from tests.tables import check_cases


def american(title: str, text: str, **values: str | None) -> bytes:
    page = "https://www.businesswire.com/news/home/20261002000001/en/Acme"
    plain: dict[str, str | None] = {"dc:contributor": None, "dc:identifier": None, "dc:language": None}
    return rss(release(1, title=title, description=text, guid=page, link=page, **(plain | values)), country=None)


def test_a_wire_without_tags_names_name_and_ticker_in_the_text() -> None:
    body = american("Acme Holdings Announces Results", "AUSTIN--Acme Holdings, Inc. (NASDAQ: ACME) today said …")
    (row,) = rows("us.wires", body)
    assert (row["publisher"], row["author"], row["symbol"]) == ("Business Wire", "Acme Holdings, Inc.", "XNAS:ACME")
    assert row["summary"] is None


@pytest.mark.parametrize(
    "tickers",
    ["(TSX: ACM) (NASDAQ: ACME)", "(TSX: ACM; NASDAQ: ACME)", "(TSX: ACM, Nasdaq: ACME)", "(NASDAQ: ACME)(TSX: ACM)"],
)
def test_of_several_tickers_the_one_of_the_market_counts(tickers: str) -> None:
    (row,) = rows("us.wires", american("Acme Announces Results", f"Acme Holdings, Inc. {tickers} today said"))
    assert (row["author"], row["symbol"]) == ("Acme Holdings, Inc.", "XNAS:ACME")


@check_cases(
    ("bracket", "symbols"),
    [
        ("(Nasdaq: ACME, ACMEW)", "XNAS:ACME;XNAS:ACMEW"),  # one exchange before several symbols
        ("(NYSE: ACME, ACMEW; B3: ACME31)", "XNYS:ACME;XNYS:ACMEW"),  # another exchange behind
        ("(B3: ACME31, ACME32; NYSE: ACME)", "XNYS:ACME"),  # what follows an unknown exchange is its own
        ("(NasdaqGS: ACME)", "XNAS:ACME"),  # a tier in the exchange's name
        ("(Nasdaq Global Select Market: ACME)", "XNAS:ACME"),
        ("(NYSE-American: ACME)", "XASE:ACME"),
        ("(the NASDAQ: ACME)", "XNAS:ACME"),
        ("(Nasdaq: ACME and FSE: 5BM)", "XNAS:ACME"),
        ("(FSE: 5BM / Nasdaq: ACME)", "XNAS:ACME"),
        ("(NYSE: ACM.A, ACM.B)", "XNYS:ACM.A;XNYS:ACM.B"),  # classes
        ("(“Acme”) (NYSE: ACME)", "XNYS:ACME"),  # another bracket before
        ("(NYSE: ACME, the “Company”)", "XNYS:ACME"),
        ("(NYSE and TSX: ACME)", "XNYS:ACME"),  # several exchanges before one symbol
        ("(TSX, NYSE: ACME)", "XNYS:ACME"),
        ("(NYSE/BMV: ACME; T)", "XNYS:ACME"),  # T is the unknown exchange's
        ("(NYSE: ACME; TSX and OTCQX: ACMEF)", "XNYS:ACME;OTCM:ACMEF"),
        ("(NASDAQ: ACME, NYSE)", "XNAS:ACME"),  # an exchange without a symbol
        ("(NASDAQ ACME)", "XNAS:ACME"),  # no colon
        ("(NYSE - ACME)", "XNYS:ACME"),
        ("(Nasdaq: “ACME”)", "XNAS:ACME"),
        ("(OTCMKTS: ACME)", "OTCM:ACME"),
        ("[NYSE: ACME]", "XNYS:ACME"),
        ("(NYSE: [ACME](#financial-modal))", "XNYS:ACME"),  # Markdown
        ("(NYSE：ACME)", "XNYS:ACME"),
        ("(NYSE: $ACME)", "XNYS:ACME"),
        ("(nyse: acme)", "XNYS:ACME"),
        ("(ACME: NYSE)", "XNYS:ACME"),
        ("(NYSE | ACME)", "XNYS:ACME"),
        ("(Nasdaq ticker symbol: ACME)", "XNAS:ACME"),
        ("(NYSE Amex: ACME)", "XASE:ACME"),
        ("(OTC Pink Current: ACME)", "OTCM:ACME"),
        ("(OTCPK: ACME)", "OTCM:ACME"),
        ("(Cboe BZX: ACME)", "BATS:ACME"),
        ("(NYSE: ACM/B)", "XNYS:ACM.B"),  # classes behind other signs than a point
        ("(NYSE: ACM.A/B)", "XNYS:ACM.A;XNYS:ACM.B"),
        ("(NYSE: ACM B, ACM PR A, ACM WS)", "XNYS:ACM B;XNYS:ACM PR A;XNYS:ACM WS"),
        ("(formerly NYSE: ACME)", None),
        ("(NYSE: ACME and HKEX: 9988 (HKD Counter) and 89988 (RMB Counter))", "XNYS:ACME"),
        ("(Nasdaq Stockholm: ACME)", None),  # another market's exchange: the item is not of this one
        ("(FSE: ACME)", None),
        ("(see note: ACME)", None),
    ],
)
def test_brackets_are_read_symbol_by_symbol(bracket: str, symbols: str | None) -> None:
    found = rows("us.wires", american("Acme Announces Results", f"Acme Holdings, Inc. {bracket} today said"))
    assert [row["symbol"] for row in found if row["symbol"]] == ([] if symbols is None else [symbols])


@check_cases(
    ("title", "text", "author"),
    [
        ("Acme & Sons Opens", "OHIO, Dec. 1, 2026 /PRNewswire/ -- Acme & Sons Co. (NYSE: ACM) said", "Acme & Sons Co."),
        ("Bank of Acme Reports", "The Bank of Acme Corporation (NYSE: ACM) said", "Bank of Acme Corporation"),
        ("aCme inc. Reports", "aCme inc. (NYSE: ACM) said", "aCme inc."),
        ("acme athletica inc. Opens", "acme athletica inc. (NYSE: ACM) said", "acme athletica inc."),
        ("Acme! Brands Opens", "Acme! Brands, Inc. (NYSE: ACM) said", "Acme! Brands, Inc."),
        ("Ácme Opens", "Ácme plc (NYSE: ACM) said", "Ácme plc"),
        ("Acme Opens", "Acme, Inc. (NYSE: ACM) said", "Acme, Inc."),
        ("Acme's Chief Speaks", "Acme Inc. (NYSE: ACM) said", "Acme Inc."),
        ("ACME: RESULTS", "Acme Inc. (NYSE: ACM) said", "Acme Inc."),
        ("The Acme Company Opens", "Acme (NYSE: ACM) said", "Acme"),
        ("/C O R R E C T I O N -- Acme Corp/", "In the release issued by Acme Corp (NYSE: ACM)", "Acme Corp"),
        ("CORRECTING and REPLACING Acme Opens", "Acme Corp (NYSE: ACM) said", "Acme Corp"),
        ("UPDATE: Acme Opens", "Acme Corp (NYSE: ACM) said", "Acme Corp"),
        ("Update Corp Opens", "Update Corp (NYSE: ACM) said", "Update Corp"),
        ("A New Day", "A. O. Acme (NYSE: ACM) said", None),
        ("Acme East Signs With Acme West (NYSE: OTH)", "Acme East Inc. (NYSE: ACM) said", "Acme East Inc."),
        ("Acme East Signs", "Acme East and Acme West (NYSE: OTH) said", None),
        ("Acme Opens Plant", "Acme Opens Plant AUSTIN, Texas -- Acme Inc. (NYSE: ACM) said", "Acme Inc."),
        ("Acme East Signs", "With Acme West (NYSE: OTH) works Acme East (NYSE: ACM)", "Acme East"),
        ("Acme Opens", "Acme opens a plant of Other Corp (NYSE: OTH)", None),
        ("Jane Doe Joins Acme", "Acme (NYSE: ACM) said", None),
    ],
)
def test_the_name_before_a_bracket_is_the_one_that_the_headline_begins_with(
    title: str, text: str, author: str | None
) -> None:
    (row,) = rows("us.wires", american(title, text))
    assert (row["author"], row["symbol"]) == (author, None if author is None else "XNYS:ACM")


def test_a_wire_that_names_the_issuer_needs_no_headline_that_begins_with_it() -> None:
    body = american("New Plant Opens", "Acme Corp (NYSE: ACM) opened a plant", dc_contributor="Acme Corporation")
    (row,) = rows("us.wires", body)
    assert (row["author"], row["symbol"]) == ("Acme Corporation", "XNYS:ACM")


def test_a_wire_with_tags_that_gives_none_is_searched_as_well() -> None:
    text = "Acme Corp (NYSE: ACM) opened a plant"
    (row,) = rows(
        "us.wires", rss(release(1, title="Acme Opens", description=text, dc_contributor="Acme"), country=None)
    )
    assert (row["author"], row["symbol"]) == ("Acme", "XNYS:ACM")


def test_a_partner_in_the_text_is_not_the_issuer() -> None:
    (row,) = rows("us.wires", american("Tiny Startup Partners with Acme", "Tiny works with Acme, Inc. (NASDAQ: ACME)."))
    assert (row["author"], row["symbol"]) == (None, None)
