"""Archives of accounts: nested and fake zips, bad members, packs, guards of the dataset, and live fetching."""

import hashlib
import io
import zipfile
from datetime import UTC, date, datetime
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from connectors.contract.dataset import (
    ArchiveMember,
    Batch,
    Cursor,
    NotApplicable,
    RecognisedFile,
    Scope,
    UnreadableFileError,
)
from connectors.kit.formats import detect_body_format
from connectors.kit.http.errors import UnexpectedBodyError
from connectors.kit.http.response import FetchedResponse, NotModified, Validators
from connectors.uk.accounts import dataset as accounts_dataset
from connectors.uk.accounts import fetch as accounts_fetch
from connectors.uk.accounts.schema import ACCOUNTS, PUBLISHED_DAYS
from tests.tables import check_cases

AT = datetime(2025, 5, 3, tzinfo=UTC)
DAILY = "Accounts_Bulk_Data-2025-05-03.zip"


def document(equity: int = 5, number: str = "01234567", extra: str = "") -> bytes:
    return f"""<?xml version="1.0"?><xbrl xmlns="http://www.xbrl.org/2003/instance" xmlns:pt="http://www.xbrl.org/uk/pt"
 xmlns:iso4217="http://www.xbrl.org/2003/iso4217"><pt:UKCompaniesHouseRegisteredNumber contextRef="e">{number}
</pt:UKCompaniesHouseRegisteredNumber><pt:Equity contextRef="e" unitRef="GBP">{equity}</pt:Equity>{extra}
<unit id="GBP"><measure>iso4217:GBP</measure></unit><context id="e"><entity><identifier scheme="s">n</identifier>
</entity><period><instant>2024-12-31</instant></period></context><context id="y"><entity>
<identifier scheme="s">n</identifier></entity><period><startDate>2024-01-01</startDate>
<endDate>2024-12-31</endDate></period></context></xbrl>""".encode()


def zipped(members: dict[str, bytes]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, body in members.items():
            archive.writestr(name, body)
    return target.getvalue()


def piece(body: bytes, name: str = DAILY) -> ArchiveMember:
    sha256 = hashlib.sha256(body).hexdigest()
    return ArchiveMember(accounts_dataset.KEY, name, sha256, AT, Scope.PART, "b", partial(io.BytesIO, body))


def batches_of(body: bytes, name: str) -> list[Batch]:
    parts = accounts_dataset.split_members(piece(body, name))
    return [batch for part in parts for batch in accounts_dataset.read_batches(part)]


def read(body: bytes, name: str = DAILY) -> tuple[pl.DataFrame, dict[str, str], dict[str, int]]:
    """Rows, reasons by rejected record, counts by signal."""
    batches = batches_of(body, name)
    rows = pl.concat([batch.rows for batch in batches if batch.table == ACCOUNTS.name])
    rejects = {record: reason for batch in batches for record, reason, _ in batch.rejects.iter_rows()}
    signals = {signal.code: signal.count for batch in batches for signal in batch.signals}
    return rows, rejects, signals


MEMBER = "Prod223_3951_01234567_20241231"


def test_members_give_rows_with_their_names_and_the_date_of_the_zip() -> None:
    body = document()
    rows, rejects, _ = read(zipped({f"{MEMBER}.xml": body, "__MACOSX/._Prod223_3951_01234567_20241231.xml": b"x"}))
    assert rejects == {}
    row = rows.row(0, named=True)
    assert (row["document"], row["member"]) == (f"{MEMBER}.xml", f"{MEMBER}.xml")
    assert row["document_sha256"] == hashlib.sha256(body).hexdigest()
    assert (row["published_date"], row["equity"], row["dormant"]) == (date(2025, 5, 3), 5, None)


def test_only_a_daily_zip_tells_the_day_of_a_document() -> None:
    """The monthly zip repeats the documents of its days; what is read last must not take their day away."""
    body = document()
    daily = [
        batch for batch in batches_of(zipped({f"{MEMBER}.xml": body}), DAILY) if batch.table == PUBLISHED_DAYS.name
    ]
    assert [batch.rows.rows() for batch in daily] == [
        [(hashlib.sha256(body).hexdigest(), "01234567", date(2025, 5, 3))]
    ]
    monthly = batches_of(zipped({f"{MEMBER}.xml": body}), "Accounts_Monthly_Data-May2025.zip")
    assert [batch.table for batch in monthly] == [ACCOUNTS.name]


def test_pitfall_18_of_a_nested_zip_the_accounts_are_read_and_the_report_is_not() -> None:
    nested = zipped(
        {
            "CIC-01234567/": b"",
            "CIC-01234567/accounts/": b"",
            "CIC-01234567/accounts/any name.xhtml": document(7),
            "CIC-01234567/cic34/report.xhtml": document(9),
        }
    )
    rows, rejects, signals = read(zipped({f"{MEMBER}_CIC.zip": nested, "other.xml": document(1, "07654321")}))
    assert sorted(rows["equity"]) == [1, 7]
    assert rows["company_number"].to_list() == ["01234567", "07654321"]
    assert rejects == {}
    assert signals["skipped_members"] == 1


def test_pitfall_18_of_an_unknown_package_every_document_with_tags_is_read() -> None:
    package = zipped({"reports/a.xhtml": document(3), "reports/b.xhtml": b"<html/>", "META-INF/x.xml": b"<x/>"})
    rows, rejects, _ = read(zipped({f"{MEMBER}_PKG.zip": package}))
    assert rows["equity"].to_list() == [3]
    assert rejects == {}
    rows, rejects, _ = read(zipped({f"{MEMBER}_PKG.zip": zipped({"a.pdf": b"%PDF-"}), "o.xml": document()}))
    assert list(rejects) == [f"{MEMBER}_PKG.zip"]
    assert len(rows) == 1


def test_pitfall_18_of_a_report_package_among_accounts_the_taxonomy_is_no_document() -> None:
    package = zipped(
        {
            "CIC-01234567/accounts/reports/a.xhtml": document(3),
            "CIC-01234567/accounts/META-INF/taxonomyPackage.xml": b"<tp:taxonomyPackage/>",
            "CIC-01234567/accounts/xbrl/own_lab.xml": b"<link:linkbase/>",
            "CIC-01234567/accounts/xbrl/own.xsd": b"<xsd:schema/>",
        }
    )
    rows, rejects, signals = read(zipped({f"{MEMBER}_CIC.zip": package}))
    assert rows["equity"].to_list() == [3]
    assert rejects == {}
    assert signals["skipped_members"] == 3


def test_pitfall_18_fake_zips_garbage_and_placeholders_are_told_and_stop_nothing() -> None:
    rows, rejects, _ = read(
        zipped(
            {
                f"{MEMBER}.zip": document(4),
                "garbage.html": bytes(range(256)) * 4,
                "placeholder.xml": b"ATTACHMENTPLACEHOLDER127319911",
                "cut.xml": document()[:300],
                "page.html": b"<html><body>no tags</body></html>",
                "empty.xml": b"",
                "last.xml": b"\xef\xbb\xbf junk " + document(6),
            }
        )
    )
    assert sorted(rows["equity"]) == [4, 6]
    assert set(rejects) == {"garbage.html", "placeholder.xml", "cut.xml", "page.html", "empty.xml"}
    assert all(rejects.values())


def test_a_damaged_member_is_told_and_a_truncated_zip_is_unreadable() -> None:
    body = bytearray(zipped({"a.xml": document(1), "b.xml": document(2, "07654321")}))
    body[60] ^= 0xFF
    rows, rejects, _ = read(bytes(body))
    assert (len(rows), list(rejects)) == (1, ["a.xml"])
    whole = zipped({"a.xml": document(1)})
    with pytest.raises(UnreadableFileError, match=r"uk\.accounts: Accounts_Bulk_Data-2025-05-03\.zip: .*zip"):
        read(whole[: len(whole) // 2])


def test_html_where_a_zip_was_due_and_an_archive_without_accounts_are_unreadable() -> None:
    with pytest.raises(UnreadableFileError, match="expected a zip, found html"):
        read(b"<!DOCTYPE html><html>Service unavailable</html>")
    with pytest.raises(UnreadableFileError, match="without any accounts"):
        read(zipped({"__MACOSX/x": b"y"}))


def test_a_loose_document_is_read_or_unreadable() -> None:
    rows, rejects, _ = read(document(), f"{MEMBER}.xml")
    row = rows.row(0, named=True)
    assert (row["member"], row["published_date"], row["document"]) == (None, None, f"{MEMBER}.xml")
    assert rejects == {}
    rows, _, _ = read(document(), f"{MEMBER}.zip")
    assert len(rows) == 1
    for body in (b"", b"garbage", document()[:400], b"<html><body>x</body></html>"):
        with pytest.raises(UnreadableFileError, match=MEMBER):
            read(body, f"{MEMBER}.xml")


def test_a_document_without_figures_is_listed_and_keeps_its_row() -> None:
    body = document().replace(b"pt:Equity", b"pt:Other")
    rows, rejects, _ = read(body, f"{MEMBER}.xml")
    assert rejects == {f"{MEMBER}.xml": "no figure is tagged in it"}
    row = rows.row(0, named=True)
    assert (row["equity"], row["currency"], row["period_start"]) == (None, None, date(2024, 1, 1))


def test_a_large_archive_is_split_into_packs_that_lose_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(accounts_dataset, "PACK_MEMBERS", 3)
    monkeypatch.setattr(accounts_dataset, "BATCH_DOCUMENTS", 2)
    nested = zipped({"c/accounts/a.xml": document(100), "c/cic34/b.xml": document(101)})
    members = {f"Prod223_1_0000000{n}_20241231.xml": document(n) for n in range(1, 9)}
    body = zipped({**members, f"{MEMBER}_CIC.zip": nested})
    parts = list(accounts_dataset.split_members(piece(body)))
    assert [part.member_name for part in parts] == ["members 1 of 3", "members 2 of 3", "members 3 of 3"]
    monkeypatch.setattr(accounts_dataset, "MOST_PACKS", 2)
    assert [part.member_name for part in accounts_dataset.split_members(piece(body))] == [
        "members 1 of 2",
        "members 2 of 2",
    ]
    rows, rejects, _ = read(body)
    assert sorted(rows["equity"]) == [1, 2, 3, 4, 5, 6, 7, 8, 100]
    assert rejects == {}


@check_cases(
    ("name", "head", "found"),
    [
        (DAILY, b"PK\x03\x04", RecognisedFile(AT, Scope.PART)),
        ("accounts_bulk_zip/Accounts_Bulk_Data-2025-05-03.trimmed.zip", b"PK\x03\x04", RecognisedFile(AT, Scope.PART)),
        ("Accounts_Monthly_Data-May2025.zip", b"PK\x03\x04", RecognisedFile(None, Scope.PART)),
        (f"{MEMBER}.html", b"<html/>", RecognisedFile(None, Scope.PART)),
        ("account_1.xml", document()[:500], RecognisedFile(None, Scope.PART)),
    ],
)
def test_recognised(name: str, head: bytes, found: RecognisedFile) -> None:
    assert accounts_dataset.recognise_file(name, head) == found


def test_other_files_are_not_ours() -> None:
    assert isinstance(accounts_dataset.recognise_file("notes.html", b"<html><body/></html>"), NotApplicable)
    assert isinstance(accounts_dataset.recognise_file("Accounts_Bulk_Data-2025-13-45.csv", b"a,b"), NotApplicable)


class Web:
    """Stands for Http: what each address answers, and what was asked."""

    def __init__(self, page: str, unchanged: tuple[str, ...] = ()) -> None:
        self.page, self.unchanged = page, unchanged
        self.asked: list[tuple[str, str | None]] = []

    def get(self, url: str, **_: Any) -> FetchedResponse:
        return _fetched(url, self.page.encode())

    def download(self, url: str, *, since: Validators | None, **_: Any) -> FetchedResponse | NotModified:
        self.asked.append((url.rpartition("/")[2], since.etag if since else None))
        if url.endswith(self.unchanged):
            return NotModified(url, AT)
        return _fetched(url, b"PK")


def _fetched(url: str, body: bytes) -> FetchedResponse:
    held = Validators('"e2"')
    return FetchedResponse(url, 200, {}, io.BytesIO(body), len(body), detect_body_format(body), AT, None, held)


PAGE = "".join(
    f'<li><a href="Accounts_Bulk_Data-{day}.zip">Accounts_Bulk_Data-{day}.zip (50Mb)</a></li>'
    for day in ("2025-05-03", "2025-05-02", "2025-05-01", "2025-99-01")
)


def test_live_the_newest_zip_first_then_all_newer_ones_and_re_issues() -> None:
    first = list(accounts_fetch.fetch(Web(PAGE), None, ()))  # type: ignore[arg-type]
    assert [(arrival.name, arrival.observed_at, arrival.scope) for arrival in first] == [(DAILY, AT, Scope.PART)]
    assert first[0].cursor is not None
    assert first[0].cursor.value.startswith("2025-05-03\n")
    web = Web(PAGE, unchanged=("2025-05-01.zip",))
    taken = Cursor("2025-05-01\n" + first[0].cursor.value.partition("\n")[2])
    later = list(accounts_fetch.fetch(web, taken, ()))  # type: ignore[arg-type]
    assert [arrival.name[-14:-4] for arrival in later] == ["2025-05-02", "2025-05-03"]
    assert web.asked[0] == ("Accounts_Bulk_Data-2025-05-01.zip", '"e2"')
    assert web.asked[1][1] is None


def test_live_days_that_are_linked_no_more_are_told_after_the_others_came() -> None:
    taken, arrivals = Cursor("2025-02-20\n"), []
    with pytest.raises(UnexpectedBodyError, match="from 2025-02-21 to 2025-04-30 are missing"):
        arrivals.extend(accounts_fetch.fetch(Web(PAGE), taken, ()))  # type: ignore[arg-type]
    assert [arrival.name[-14:-4] for arrival in arrivals] == ["2025-05-01", "2025-05-02", "2025-05-03"]
    assert list(accounts_fetch.fetch(Web(PAGE, unchanged=("2025-05-03.zip",)), arrivals[-1].cursor, ())) == []  # type: ignore[arg-type]


def test_live_days_without_a_zip_are_not_missing() -> None:
    page = '<a href="Accounts_Bulk_Data-2025-05-06.zip">'  # a Tuesday
    (arrival,) = accounts_fetch.fetch(Web(page), Cursor("2025-05-03\n"), ())  # type: ignore[arg-type]
    assert arrival.name == "Accounts_Bulk_Data-2025-05-06.zip"


def test_live_a_page_without_links_is_not_believed() -> None:
    with pytest.raises(UnexpectedBodyError, match="links no daily"):
        list(accounts_fetch.fetch(Web("<html/>"), None, ()))  # type: ignore[arg-type]


@pytest.mark.sources
def test_links_of_the_saved_page(sources: Path) -> None:
    page = (sources / "uk" / "download_pages" / "en_accountsdata.html").read_text()
    links = accounts_fetch.daily_zip_links(page)
    assert len(links) > 50
    assert list(links) == sorted(links)
    assert all(href.endswith(f"{day}.zip") for day, href in links.items())


def test_a_balance_date_after_the_archive_is_a_reject_and_the_others_stay() -> None:
    later = document().replace(b"2024-12-31", b"2099-12-31")
    body = zipped({"Prod223_1_07654321_20991231.xml": later, "Prod223_1_01234567_20241231.xml": document()})
    rows, rejects, _ = read(body)
    assert rows["company_number"].to_list() == ["01234567"]
    assert rejects["Prod223_1_07654321_20991231.xml"] == "the balance date 2099-12-31 is later than the document itself"


def test_the_same_bytes_of_two_companies_are_a_row_of_each() -> None:
    rows, _, _ = read(
        zipped(dict.fromkeys(("Prod223_1_07654321_20241231.xml", "Prod223_1_01234567_20241231.xml"), document()))
    )
    assert sorted(rows["company_number"]) == ["01234567", "07654321"]
    assert not rows.select(ACCOUNTS.key).is_duplicated().any()
