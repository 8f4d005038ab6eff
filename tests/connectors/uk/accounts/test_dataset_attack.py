"""Hostile and broken accounts: each gives its figures or its reason, and spoils nothing beside it."""

import hashlib
import io
import stat
import zipfile
from datetime import UTC, date, datetime, timedelta
from functools import partial
from typing import Any

import pytest

from connectors.contract.dataset import ArchiveMember, Scope
from connectors.kit.xbrl import inline
from connectors.kit.xml.parse import MalformedMarkupError
from connectors.uk.accounts import dataset as accounts_dataset
from connectors.uk.accounts.document import AccountsDocument, parse_accounts_document
from connectors.uk.accounts.schema import ACCOUNTS

NAME = "Prod223_2125_01234567_20171231.html"
YEAR, END = "2017-01-01/2017-12-31", "2017-12-31"
AT = datetime(2025, 5, 3, tzinfo=UTC)


@pytest.fixture
def body(blank: Any) -> bytes:
    page = blank()
    page.number("Equity", 5, END)
    page.number("ProfitLoss", 3, YEAR)
    return page.body()


def figures(document: AccountsDocument) -> list[tuple[int | None, int | None]]:
    return [(row.equity, row.net_result) for row in document.rows]


@pytest.mark.parametrize("depth", [1_000, 2_000, 100_000])
def test_deep_nesting_beside_the_facts_changes_nothing(body: bytes, depth: int) -> None:
    deep = b"<div>" * depth + b"x" + b"</div>" * depth
    assert figures(parse_accounts_document(NAME, body.replace(b"</body>", deep + b"</body>"))) == [(5, 3)]


@pytest.mark.parametrize("depth", [1_000, 2_000])
def test_a_figure_deep_in_markup_is_read(body: bytes, depth: int) -> None:
    deep = b">" + b"<b>" * depth + b"5" + b"</b>" * depth + b"</ix:nonFraction>"
    assert figures(parse_accounts_document(NAME, body.replace(b">5</ix:nonFraction>", deep))) == [(5, 3)]


def test_a_figure_that_nesting_hides_rejects_the_document(body: bytes) -> None:
    deep = b">" + b"<b>" * 5_000 + b"5" + b"</b>" * 5_000 + b"</ix:nonFraction>"
    with pytest.raises(MalformedMarkupError, match="of 2 tagged statements 1 can be read"):
        parse_accounts_document(NAME, body.replace(b">5</ix:nonFraction>", deep))


def test_entities_are_never_opened(body: bytes) -> None:
    laughs = b"".join(b'<!ENTITY %c "%s">' % (98 + n, b"&%c;" % (97 + n) * 10) for n in range(9))
    bomb = b'<!DOCTYPE html [<!ENTITY a "9">' + laughs + b"]>" + body.replace(b">5<", b">&j;<")
    with pytest.raises(MalformedMarkupError, match="entities"):
        parse_accounts_document(NAME, bomb)
    outside = b'<!DOCTYPE html [<!ENTITY x SYSTEM "file:///etc/hostname">]>' + body.replace(b">5<", b">&x;5<")
    document = parse_accounts_document(NAME, outside)
    assert figures(document) == [(None, 3)]
    assert ("unaccepted_text", "no transform") in document.signals
    assert figures(parse_accounts_document(NAME, body.replace(b">5<", b">1&nbsp;005<"))) == [(1005, 3)]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252", "utf-8-sig", "latin-1"])
def test_whatever_the_encoding_undeclared(body: bytes, encoding: str) -> None:
    wide = body.decode().replace("</body>", "<p>£ café</p></body>").encode(encoding)
    assert figures(parse_accounts_document(NAME, wide)) == [(5, 3)]


@pytest.mark.parametrize(
    ("declared", "true"),
    [("utf-8", "cp1252"), ("US-ASCII", "utf-8"), ("utf-16", "utf-8"), ("UCS-2", "utf-8"), ("x-none", "utf-8")],
)
def test_whatever_the_encoding_declared_wrongly(body: bytes, declared: str, true: str) -> None:
    text = body.decode().replace("</body>", "<p>£ café</p></body>")
    wrong = f'<?xml version="1.0" encoding="{declared}"?>{text}'.encode(true)
    document = parse_accounts_document(NAME, wrong)
    assert figures(document) == [(5, 3)]
    assert ("repaired_document", "not well-formed") in document.signals


@pytest.mark.parametrize("junk", [b"\x00", b"\x01\x02", b"\xff\xfe\xfa", b"<br>", b"&copy;", b"a & b"])
def test_junk_in_the_prose_loses_no_figure(body: bytes, junk: bytes) -> None:
    assert figures(parse_accounts_document(NAME, body.replace(b"</body>", b"<p>" + junk + b"</p></body>"))) == [(5, 3)]


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.99, 0.999])
def test_a_truncated_document_is_never_taken_for_a_whole_one(body: bytes, share: float) -> None:
    with pytest.raises(MalformedMarkupError):
        parse_accounts_document(NAME, body[: int(len(body) * share)])


def test_ten_thousand_contexts_of_classes_hide_no_total(blank: Any, axes: dict[str, str]) -> None:
    page = blank()
    page.number("Equity", 5, END)
    page.number("ProfitLoss", 3, YEAR)
    body = page.body()
    contexts = "".join(
        f'<xbrli:context id="k{n}"><xbrli:entity><xbrli:identifier scheme="http://www.companieshouse.gov.uk/">01234567'
        f'</xbrli:identifier><xbrli:segment><xbrldi:explicitMember dimension="a:EquityClassesDimension">b:C{n}'
        f"</xbrldi:explicitMember></xbrli:segment></xbrli:entity><xbrli:period><xbrli:instant>{END}</xbrli:instant>"
        "</xbrli:period></xbrli:context>"
        for n in range(10_000)
    )
    facts = "".join(
        f'<ix:nonFraction name="x7:Equity" contextRef="k{n}" unitRef="GBP">{n}</ix:nonFraction>' for n in range(10_000)
    )
    body = body.replace(b"<ix:resources>", b"<ix:resources>" + contexts.encode())
    assert figures(parse_accounts_document(NAME, body.replace(b"</body>", facts.encode() + b"</body>"))) == [(5, 3)]


def test_ten_thousand_periods_give_the_nearest_that_do_not_overlap(blank: Any) -> None:
    page = blank()
    page.number("Equity", 5, END)
    page.number("ProfitLoss", 3, YEAR)
    for n in range(10_000):
        last = date(2016, 12, 31) - timedelta(days=n)
        page.number("ProfitLoss", n, f"{last - timedelta(days=364)}/{last}")
    document = parse_accounts_document(NAME, page.body())
    ends = [row.period.end for row in document.rows]
    assert (len(ends), ends[:3]) == (21, [date(2017, 12, 31), date(2016, 12, 31), date(2016, 1, 1)])
    assert ("too_many_periods", "more than 20 earlier ones") in document.signals
    assert document.signals["overlapping_period", "of earlier periods"] > 7_000


def test_months_of_last_year_are_no_comparative_periods(blank: Any) -> None:
    page = blank()
    page.number("TurnoverRevenue", 120, YEAR)
    page.number("TurnoverRevenue", 90, "2016-01-01/2016-12-31")
    for month in ("2016-10-01/2016-10-31", "2016-11-01/2016-11-30"):
        page.number("TurnoverRevenue", 8, month)
    rows = [(row.period.end.isoformat(), row.revenue) for row in page.read().rows]
    assert rows == [("2017-12-31", 120), ("2016-12-31", 90)]


def test_a_sheet_a_day_beside_last_years_end_is_the_comparative(blank: Any) -> None:
    page = blank()
    page.number("Equity", 5, END)
    page.number("Equity", -4, "2016-12-30")
    page.number("CurrentAssets", 9, "2016-12-30")
    page.context(YEAR)
    rows = [(row.period.end.isoformat(), row.equity) for row in page.read().rows]
    assert rows == [("2017-12-31", 5), ("2016-12-30", -4)]


def test_continuations_without_end_are_left(body: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inline, "MOST_CONTINUATIONS", 50)
    chain = "".join(f'<ix:continuation id="k{n}" continuedAt="k{n + 1}">x</ix:continuation>' for n in range(40))
    named = '<ix:nonNumeric name="bus:EntityDormantTruefalse" contextRef="c0" continuedAt="k0">n</ix:nonNumeric>'
    document = parse_accounts_document(NAME, body.replace(b"</body>", (named * 3 + chain).encode() + b"</body>"))
    assert figures(document) == [(5, 3)]
    assert document.signals["endless_continuations", "the rest is left out"] == 2


def zipped(members: dict[str, bytes], *, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", method) as archive:
        for name, body in members.items():
            info = zipfile.ZipInfo(name)
            info.compress_type = method
            if name.startswith("link"):
                info.external_attr = (stat.S_IFLNK | 0o777) << 16
            archive.writestr(info, body)
    return target.getvalue()


def member(number: int, ending: str = "html") -> str:
    return f"Prod223_3951_{number:08d}_20171231.{ending}"


def read(body: bytes) -> tuple[dict[str, int | None], dict[str, str]]:
    """Equity by company, reasons by rejected record."""
    name = "Accounts_Bulk_Data-2025-05-03.zip"
    sha256 = hashlib.sha256(body).hexdigest()
    piece = ArchiveMember(accounts_dataset.KEY, name, sha256, AT, Scope.PART, "b", partial(io.BytesIO, body))
    batches = [batch for part in accounts_dataset.split_members(piece) for batch in accounts_dataset.read_batches(part)]
    rows = [row for batch in batches if batch.table == ACCOUNTS.name for row in batch.rows.iter_rows(named=True)]
    rejects = {record: reason for batch in batches for record, reason, _ in batch.rejects.iter_rows()}
    return {row["company_number"]: row["equity"] for row in rows}, rejects


def test_in_an_archive_of_attacks_no_good_document_is_lost(body: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(accounts_dataset, "PACK_MEMBERS", 4)
    monkeypatch.setattr(accounts_dataset, "LARGEST_DOCUMENT_BYTES", 1 << 20)
    nested = zipped({"CIC/accounts/a.xhtml": body, "CIC/accounts/huge.xhtml": b" " * (2 << 20)})
    twice = zipped({"CIC/accounts/inner.zip": nested})
    good = {member(number): body for number in (1, 2)} | {member(3, "zip"): nested, member(4, "zip"): body}
    attacks = {
        member(90): b" " * (65 << 20),  # unpacks to a thousand times its size
        member(91): b"<html>" + b"x" * (2 << 20),
        member(92): body[:-20],
        member(93): b"ATTACHMENTPLACEHOLDER127319911",
        member(94): bytes(range(256)) * 8,
        member(95, "zip"): twice,
        member(96, "zip"): nested[: len(nested) // 2],
        "../../escape.html": body,
        f"link{member(97)}": b"/etc/passwd",
    }
    equity, rejects = read(zipped(attacks | good))
    assert equity == {"00000001": 5, "00000002": 5, "00000003": 5, "00000004": 5}
    named = {record.partition("!/")[0] for record in rejects}
    assert named == {*attacks, member(3, "zip")}  # of the third only what is too large
    assert all(rejects.values())
    assert "bomb" in rejects[member(90)]
    assert "larger than 1 MiB" in rejects[member(91)]


def test_names_that_come_twice_are_two_documents(body: bytes) -> None:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr(member(1), body)
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr(member(1), body.replace(b">5<", b">6<"))
    piece = ArchiveMember(
        accounts_dataset.KEY, "Accounts_Bulk_Data-2025-05-03.zip", "s", AT, Scope.PART, "b",
        partial(io.BytesIO, target.getvalue()),
    )  # fmt: skip
    batch, _ = accounts_dataset.read_batches(piece)
    assert sorted(batch.rows["equity"]) == [5, 6]
    assert set(batch.rows["company_number"]) == {"00000001"}
