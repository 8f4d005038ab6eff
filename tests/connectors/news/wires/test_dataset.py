"""RSS and Atom of the wires: their traps, whose a release is, what is refused (docs/formats/news.md 2.9, 2.11)."""

from datetime import UTC, datetime

import pytest

from connectors.contract.dataset import NOT_A_COMPANY, ComputedKey, NotApplicable, UnreadableFileError
from connectors.news.wires.dataset import WIRES
from tests.connectors.news.news_files import (
    MARKETS,
    Part,
    dataset,
    isin,
    read,
    reasons,
    release,
    rows,
    rss,
    signals,
    stock,
)
from tests.tables import check_cases

EBIX = "US2787152063"
NOKIA = "FI0009000681"


def test_a_release_keeps_headline_time_link_and_issuer_and_no_text() -> None:
    body = rss(release(3373999, stock("Helsinki:ESIM"), isin(NOKIA), ("category", "Interim information")))
    assert rows("fi.wires", body) == [
        {
            "id": "globenewswire:3373999",
            "group": None,
            "corrects": None,
            "title": "Esimerkki Oyj reports on the third quarter",
            "summary": None,
            "url": "https://www.globenewswire.com/news-release/2026/10/02/3373999/0/en/slug.html",
            "publisher": "GlobeNewswire",
            "language": "en",
            "published_at": datetime(2026, 10, 2, 18, 6, tzinfo=UTC),
            "subjects": ["Interim information"],
            "kind": "Interim information",
            "categories": ["other"],
            "author": "Esimerkki Oyj",
            "org_number": None,
            "lei": None,
            "isin": NOKIA,
            "symbol": "XHEL:ESIM",
            "entity": None,
            "near": True,
        }
    ]


def test_the_namespace_of_the_names_is_the_wires_own_or_the_standards() -> None:
    for space in ("http://dublincore.org/documents/dcmi-namespace/", "http://purl.org/dc/elements/1.1/", "urn:new"):
        (row,) = rows("fi.wires", rss(release(), space=space))
        assert (row["author"], row["language"], row["id"]) == ("Esimerkki Oyj", "en", "globenewswire:3373999"), space


@check_cases(
    ("written", "instant"),
    [
        ("Fri, 02 Oct 2026 18:06 GMT", datetime(2026, 10, 2, 18, 6, tzinfo=UTC)),
        ("Fri, 02 Oct 2026 18:06:30 +0300", datetime(2026, 10, 2, 15, 6, 30, tzinfo=UTC)),
        ("Fri, 02 Oct 2026 18:06:30 -0000", datetime(2026, 10, 2, 18, 6, 30, tzinfo=UTC)),
        ("2026-10-02T18:06:30Z", datetime(2026, 10, 2, 18, 6, 30, tzinfo=UTC)),
        ("Fri, 02 Oct 2026 18:06", None),
        ("Monday, July 27, 2026 - 15:30", None),
        ("0001-01-01T00:00:00+14:00", None),
        ("soon", None),
        ("Mon, 01 Jan 0001 00:00:00 +0000", None),  # no time: not the year 2001
        ("Thu, 01 Jan 1970 00:00:00 GMT", None),
        ("Fri, 02 Oct 26 18:06 GMT", datetime(2026, 10, 2, 18, 6, tzinfo=UTC)),
        ("Fri, 02 Oct 2026 18:06 CEST", datetime(2026, 10, 2, 16, 6, tzinfo=UTC)),
        ("Fri, 02 Oct 2026 18:06:00 BST", datetime(2026, 10, 2, 17, 6, tzinfo=UTC)),
        ("Fri, 02 Oct 2026 18:06:00 EEST", datetime(2026, 10, 2, 15, 6, tzinfo=UTC)),
        ("Fri, 02 Oct 2026 06:06:00 PM EDT", None),
        (None, None),
        # a zone of other digits than four would be read as minutes, of two zones one as the other
        ("Fri, 02 Oct 2026 18:06:00 +02", None),
        ("Fri, 02 Oct 2026 18:06 +1", None),
        ("Fri, 02 Oct 2026 18:06:00 0200", None),
        ("Fri, 02 Oct 2026 18:06:00 +0290", None),
        ("Fri, 02 Oct 2026 18:06:00 GMT -0500", None),
        ("Fri, 02 Oct 2026 18:06:00 +0200 (CEST)", datetime(2026, 10, 2, 16, 6, tzinfo=UTC)),
        ("Fri Oct 02 18:06:00 2026 GMT", datetime(2026, 10, 2, 18, 6, tzinfo=UTC)),
    ],
)
def test_times_have_no_seconds_or_have_and_always_a_zone(written: str | None, instant: datetime | None) -> None:
    body = rss(release(1, pubDate=written, dc_modified=None), release(2))
    found = {row["id"]: row["published_at"] for row in rows("fi.wires", body)}
    assert found.get("globenewswire:1") == instant
    assert reasons("fi.wires", body) == ([] if instant else ["no time with a zone"])


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_categories_have_their_domain_with_either_scheme_and_come_several_times(scheme: str) -> None:
    tags = (stock("Nasdaq:EBIX", scheme), stock("Helsinki:ESIM", scheme), isin(EBIX, scheme), isin(NOKIA, scheme))
    (finnish,) = rows("fi.wires", rss(release(1, *tags), country=None))
    (american,) = rows("us.wires", rss(release(1, *tags), country=None))
    assert (finnish["isin"], finnish["symbol"]) == (NOKIA, "XHEL:ESIM")
    assert (american["isin"], american["symbol"]) == (EBIX, "XNAS:EBIX")


def test_isins_of_two_american_issuers_name_neither_and_those_of_one_name_it() -> None:
    apple, other_apple, microsoft = "US0378331005", "US0378332094", "US5949181045"
    for tags, due in (((apple, microsoft), None), ((apple, other_apple), apple), ((NOKIA, microsoft), microsoft)):
        (row,) = rows("us.wires", rss(release(1, *map(isin, tags)), country=None))
        assert (row["isin"], row["near"]) == (due, True), tags


@check_cases(
    ("country", "tags", "markets"),
    [
        ("Finland", (), {"fi"}),
        ("Sweden", (), {"se"}),
        ("United Kingdom", (), {"uk"}),
        ("United States", (), {"us"}),
        ("Denmark", (), set()),
        ("Finland", (isin("SE0000112724"),), {"fi", "se"}),  # of a Swedish company that is listed in Helsinki too
        (None, (isin("SE0000112724"),), {"se"}),
        (None, (stock("Oslo:EQNR"),), {"no"}),
        (None, (stock("LSE:TSCO"),), {"uk"}),
        (None, (), {"us"}),  # nothing says whose it is: kept at the wire's home, where no name leads anywhere
        ("Sweden", (stock("Copenhagen:X"),), {"se"}),
    ],
)
def test_whose_release_it_is(country: str | None, tags: tuple[Part, ...], markets: set[str]) -> None:
    body = rss(release(1, *tags), country=country)
    assert {code for code in ("fi", "no", "se", "uk", "us") if rows(f"{code}.wires", body)} == markets


def test_a_release_that_says_nothing_of_its_market_has_no_name_to_be_found_by() -> None:
    (key,) = (
        link.key for link in MARKETS["UK"].links if link.table == "uk_wires" and isinstance(link.key, ComputedKey)
    )
    for country, name in ((None, None), ("United States", "esimerkki oyj")):
        (batch,) = read("us.wires", rss(release(), country=country))
        assert key.of(batch.rows).to_list() == [name]


@pytest.mark.parametrize(
    "values",
    [
        {"title": "INVESTOR ALERT: Sample LLP reminds shareholders of Esimerkki of a class action deadline"},
        {"title": "ROSEN, A LEADING LAW FIRM, Encourages Esimerkki Oyj Investors to Secure Counsel"},
        {"dc:contributor": "Levi & Korsinsky, LLP", "title": "Esimerkki Oyj: notice"},
    ],
)
def test_calls_of_law_firms_are_listed_and_left_out(values: dict[str, str]) -> None:
    body = rss(release(1, isin(NOKIA), **values), release(2))
    assert [row["id"] for row in rows("fi.wires", body)] == ["globenewswire:2"]
    (reason,) = reasons("fi.wires", body)
    assert reason.startswith(NOT_A_COMPANY)


def test_the_subject_of_class_actions_is_left_out_whatever_its_title_says() -> None:
    body = rss(release(1, ("category", "Class Action"), title="Esimerkki Oyj (NYSE: ESI)"))
    assert rows("fi.wires", body) == []


@check_cases(
    ("title", "subject", "is_told_as_holding"),
    [
        ("Esimerkki Oyj: Notification of major holding", None, True),
        ("Esimerkki Oyj: Flagging notification", None, True),
        ("Esimerkki Oyj: Holding(s) in Company", None, True),
        ("Esimerkki Oyj announces a change", "Major shareholder announcements", True),
        ("Major shareholder of Esimerkki Oyj supports the offer", None, False),
        ("Esimerkki Oyj opens its flagship store", None, False),
    ],
)
def test_a_headline_that_mentions_a_shareholder_is_news(
    title: str, subject: str | None, is_told_as_holding: bool
) -> None:
    more = () if subject is None else (("category", subject),)
    (row,) = rows("fi.wires", rss(release(1, *more, title=title)))
    assert ("ownership" in row["categories"]) is is_told_as_holding


def test_a_company_that_tells_of_its_own_suit_is_kept() -> None:
    (row,) = rows("fi.wires", rss(release(title="Esimerkki Oyj wins dismissal of a lawsuit")))
    assert row["title"] == "Esimerkki Oyj wins dismissal of a lawsuit"


def test_the_page_of_a_release_is_its_id_whatever_its_guid() -> None:
    page = "https://www.prnewswire.com/news-releases/acme-{}.html"

    def item(place: int, guid: str, tail: str = "") -> list[Part]:
        plain = {"dc:contributor": None, "dc:identifier": None, "dc:language": None}
        return release(place, title=f"Acme {place}", guid=guid, link=page.format(place) + tail, **plain)

    body = rss(item(1, "same"), item(2, "same"), item(2, "other", "?tc=eml"), country=None)
    found = [(row["id"], row["title"]) for row in rows("us.wires", body)]
    assert found == [(f"prnewswire:{page.format(place)}", f"Acme {place}") for place in (1, 2)]


@pytest.mark.parametrize(
    ("parts", "reason"),
    [
        ({"title": None}, "no title"),
        ({"title": "  "}, "no title"),
        ({"link": "https://globenewswire.com.evil.example/1", "guid": "x"}, None),
        ({"dc:identifier": "x" * 400}, "no id"),
    ],
)
def test_one_bad_release_rejects_itself_alone(parts: dict[str, str | None], reason: str | None) -> None:
    body = rss(release(1, **parts), release(2))
    assert "globenewswire:2" in {row["id"] for row in rows("fi.wires", body)}
    assert reasons("fi.wires", body) == ([] if reason is None else [reason])


def test_the_wire_is_told_by_a_whole_host() -> None:
    link = "https://globenewswire.com.evil.example/1"
    page = f'<rss version="2.0"><channel><title>t</title><link>{link}</link><item><title>t</title><link>{link}</link>'
    body = (page + "<pubDate>Fri, 02 Oct 2026 18:06 GMT</pubDate></item></channel></rss>").encode()
    assert rows("us.wires", body) == []
    assert reasons("us.wires", body) == ["no wire in its link"]


def test_atom_is_read_as_well() -> None:
    page = "https://www.globenewswire.com/news-release/2026/10/02/77/0/fi/slug.html"
    body = f"""<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>GlobeNewswire - News from Finland</title>
    <entry><title>Osavuosikatsaus</title><id>{page}</id><link href="{page}"/><updated>2026-10-02T18:06:00Z</updated></entry>
    </feed>"""
    (row,) = rows("fi.wires", body.encode())
    assert (row["id"], row["language"], row["categories"]) == ("globenewswire:77", "fi", ["earnings"])


BOMB = b"""<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]>
<rss version="2.0"><channel><item><title>&b;</title></item></channel></rss>"""


@check_cases(
    ("body", "what"),
    [
        (b"<!DOCTYPE html><html><body>maintenance</body></html>", "html"),
        (b"", "empty"),
        (b'{"items": []}', "json"),
        (b'<?xml version="1.0"?><rss version="2.0"><channel></channel></rss>', "no items"),
        (rss(release(1), release(2))[:-40], "breaks off"),
        (BOMB, "entities"),
        (BOMB.decode().encode("utf-16"), "entities"),
        (b"/etc/passwd", "text"),
        (b"https://www.globenewswire.com/RssFeed", "text"),
        (b'<?xml version="1.0"?><rss>' + b" " * (8 << 20) + b"</rss>", "8 MiB"),
    ],
    ids=["html", "empty", "json", "no-items", "cut", "bomb", "wide-bomb", "path", "address", "large"],
)
def test_what_is_no_feed_is_refused_by_name(body: bytes, what: str) -> None:
    with pytest.raises(UnreadableFileError, match=rf"(?s)fi\.wires: x: .*{what}"):
        rows("fi.wires", body)


def test_untidy_markup_is_read_and_told() -> None:
    body = rss(release(title="A & B sign")).replace(b"A &amp; B", b"A & B")
    assert [row["title"] for row in rows("fi.wires", body)] == ["A & B sign"]
    assert ("repaired_markup", "feed") in signals("fi.wires", body)


@check_cases(
    ("written", "title"),
    [
        ("São – “é” ü".encode().decode("latin-1"), "São – “é” ü"),
        ("SÃ£o â€“ â€œÃ©â€\x9d Ã¼", "São – “é” ü"),
        ("Ålesund – Ü", "Ålesund – Ü"),
    ],
)
def test_a_headline_that_was_encoded_twice_is_decoded_twice_and_told(written: str, title: str) -> None:
    body = rss(release(title=written))
    assert [row["title"] for row in rows("fi.wires", body)] == [title]
    assert (("double_encoding", "title") in signals("fi.wires", body)) is (written != title)


def test_other_xml_is_not_ours() -> None:
    recognise = dataset("fi.wires").recognise_file
    assert isinstance(recognise("x.xml", b'<?xml version="1.0"?><BizData/>'), NotApplicable)
    assert not isinstance(recognise("x.xml", rss(release())), NotApplicable)


def test_every_wire_says_its_terms_and_none_lets_its_text_on() -> None:
    assert {wire.name for wire in WIRES} == {"globenewswire", "prnewswire", "businesswire"}
    assert all(wire.licence.name and wire.licence.attribution for wire in WIRES)
    assert not any(wire.has_full_text for wire in WIRES)
