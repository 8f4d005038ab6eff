"""Pages of the official storages of Finland and Sweden (docs/formats/news.md 2.6, 2.7)."""

from datetime import UTC, datetime
from html import escape

import pytest

from connectors.contract.dataset import NotApplicable, RecognisedFile, UnreadableFileError
from tests.connectors.news.news_files import LEI, dataset, reasons, rows, signals
from tests.tables import check_cases


def listed(*rows_: str) -> bytes:
    return f"<!DOCTYPE html><html lang='en'><body><nef-table>{''.join(rows_)}</nef-table></body></html>".encode()


def oam_row(
    number: str = "464108",
    stamp: str = "2025-10-28 17:30:00 EET",
    title: str = "Inside Information: it's news",
    company: str = "Nokia",
    category: str = "Inside information",
) -> str:
    return f"""<nef-table-row class="message-row">
    <nef-table-cell class="table-published"><span class="table-content" title="{stamp}">{stamp}</span></nef-table-cell>
    <nef-table-cell class="table-company"><span class="table-content">{company}</span></nef-table-cell>
    <nef-table-cell class="table-headline"><nef-link href="/view/{number}?lang=en"><span class="table-link">{escape(title)}
    </span></nef-link></nef-table-cell>
    <nef-table-cell class="table-category"><span class="table-content">{category}</span></nef-table-cell></nef-table-row>"""


def test_a_row_of_the_list_is_a_release_of_a_label() -> None:
    (row,) = rows("fi.oam", listed(oam_row()))
    assert (row["id"], row["author"], row["language"]) == ("oam:464108", "Nokia", "en")
    assert (row["title"], row["categories"]) == ("Inside Information: it's news", ["inside_information"])
    assert row["url"] == "https://oam.fi/view/464108?lang=en"
    assert (row["summary"], row["lei"], row["near"]) == (None, None, True)


@check_cases(
    ("stamp", "instant"),
    [
        ("2025-10-28 17:30:00 EET", datetime(2025, 10, 28, 15, 30, tzinfo=UTC)),
        ("2025-10-23 08:00:01 EEST", datetime(2025, 10, 23, 5, 0, 1, tzinfo=UTC)),
        # by the name that stands there, in the hour that summer time repeats too
        ("2025-10-26 03:30:00 EEST", datetime(2025, 10, 26, 0, 30, tzinfo=UTC)),
        ("2025-10-26 03:30:00 EET", datetime(2025, 10, 26, 1, 30, tzinfo=UTC)),
        ("2025-10-28 17:30:00 CET", None),
        ("2025-13-28 17:30:00 EET", None),
        ("", None),
    ],
)
def test_finnish_times_are_told_by_the_name_of_their_zone(stamp: str, instant: datetime | None) -> None:
    body = listed(oam_row("1", stamp), oam_row("2"))
    found = {row["id"]: row["published_at"] for row in rows("fi.oam", body)}
    assert found.get("oam:1") == instant
    assert len(reasons("fi.oam", body)) == (instant is None)


def view(*packages: str, number: str = "468712") -> bytes:
    links = "".join(f'<nef-link class="attachment-link" href="/x">{name}</nef-link>' for name in packages)
    return f"""<!DOCTYPE html><html lang="fi"><head><meta name="disclosureId" content="{number}"/></head><body>
    <div id="view-content"><span>Published: 2026-03-05 18:30:04 EET</span><span>Nokia - Tytär - Annual Financial Report</span>
    <h1 id="view-headline">Nokia has published</h1><div id="view-body"><p>Text of the release</p></div>{links}</div>
    </body></html>""".encode()


@pytest.mark.parametrize(
    ("packages", "lei"),
    [
        ((f"{LEI}-2025-12-31-fi.zip", "Annual report.pdf"), LEI),
        (("549300A0JPRWG1KI7U07-2025-12-31-fi.zip",), None),  # the check digits do not hold
        ((f"{LEI}-2025-12-31-fi.zip", "5493006QMFDDMYWIAM13-2025-12-31-fi.zip"), None),  # two are no answer
        ((), None),
    ],
)
def test_a_page_tells_the_lei_by_its_package(packages: tuple[str, ...], lei: str | None) -> None:
    (row,) = rows("fi.oam", view(*packages))
    assert row["lei"] == lei
    assert (row["author"], row["subjects"]) == ("Nokia - Tytär", ["Annual Financial Report"])
    assert row["published_at"] == datetime(2026, 3, 5, 16, 30, 4, tzinfo=UTC)


def test_a_page_without_its_number_is_refused_and_the_form_is_not_ours() -> None:
    assert reasons("fi.oam", view(number="")) == ["no number of the release"]
    form = b'<!DOCTYPE html><html><nef-form-select id="company-select"></nef-form-select></html>'
    assert isinstance(dataset("fi.oam").recognise_file("x", form), NotApplicable)
    assert isinstance(dataset("fi.oam").recognise_file("x", listed(oam_row())), RecognisedFile)


def grid(*cells: tuple[str, str, str, str, str]) -> bytes:
    lines = "".join(
        f"""<tr><td> {at} </td><td> {kind} </td><td><a onclick="javascript:openHtmlPopUp(&#39;/search/ViewStockAffect.aspx?id={n}
        &#39;, &#39;600&#39;)" href="#">{said}</a></td><td><span title="{escape(title)}">{title[:9]}…</span></td></tr>"""
        for n, at, kind, said, title in cells
    )
    return f"""<!DOCTYPE html><html><body><span id="ctl00_main_lblCompanyName">Exempel Aktiebolag</span>
    <table id="ctl00_main_gvwYearReports"><tr><td>2025</td><td><a href='/search/GetFile.aspx?fid=1'>Svenska</a></td></tr></table>
    <table id="ctl00_main_gvStockAffect"><tr><th>Publicerad</th></tr>{lines}</table></body></html>""".encode()


def test_announcements_of_the_swedish_storage() -> None:
    body = grid(
        ("172502", "2026-04-28 17:55", "Hemmedlemsstat", "Engelska", "Report from the Annual General Meeting"),
        ("172501", "2026-01-28 17:55", "Insiderinformation", "Svenska", "Ny VD för Exempel"),
        ("7", "2026-01-28 17:55", "Insiderinformation", "Klingonska", "x"),
        ("8", "i går", "Insiderinformation", "Svenska", "x"),
    )
    english, swedish, other = rows("se.finanscentralen", body)
    assert (english["id"], english["language"]) == ("finanscentralen:172502", "en")
    assert english["title"] == "Report from the Annual General Meeting"
    assert english["published_at"] == datetime(2026, 4, 28, 15, 55, tzinfo=UTC)
    assert (swedish["published_at"], swedish["categories"]) == (
        datetime(2026, 1, 28, 16, 55, tzinfo=UTC),
        ["inside_information"],
    )
    assert {row["author"] for row in (english, swedish, other)} == {"Exempel Aktiebolag"}
    assert other["language"] is None
    assert signals("se.finanscentralen", body) == {("unknown_code", "language klingonska"): 1}
    assert reasons("se.finanscentralen", body) == ["no time: i går"]


@check_cases("key", ["fi.oam", "se.finanscentralen"])
@check_cases("body", [b"", b"{}", b"<html><body>Just a moment</body></html>", b"\xff\xfe\x00"])
def test_other_bodies_are_refused_by_name(key: str, body: bytes) -> None:
    with pytest.raises(UnreadableFileError, match=f"{key}: x: "):
        rows(key, body)


@pytest.mark.parametrize("key", ["fi.oam", "se.finanscentralen"])
def test_a_page_of_attributes_without_end_is_refused(key: str) -> None:
    body = listed(f"<a {' '.join(f'a{place}' for place in range(1_001))}>x</a>")
    with pytest.raises(UnreadableFileError, match="an element of 1,001 attributes"):
        rows(key, body)


def test_a_search_without_a_company_is_not_ours() -> None:
    assert isinstance(dataset("se.finanscentralen").recognise_file("x", b"<html><body></body></html>"), NotApplicable)
