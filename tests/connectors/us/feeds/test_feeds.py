"""The Atom of newest filings, the indexes, and who is named by them (docs/formats/us.md 8, 13)."""

import gzip
import io
from collections.abc import Iterable
from datetime import UTC, date, datetime
from pathlib import Path

import polars as pl
import pytest

from connectors.contract.dataset import (
    ArchiveMember,
    Batch,
    Cursor,
    Dataset,
    NotApplicable,
    RecognisedFile,
    Scope,
    UnreadableFileError,
)
from connectors.us.feeds import current_filings, edgar_index
from connectors.us.feeds import schema as f
from connectors.us.feeds.pending_filings import KEPT, OF_PROFILES, STAKES, FeedFiling, FetchedFilings, filing_subjects

NOW = datetime(2026, 11, 21, 8, tzinfo=UTC)
HEAD = """Description:           Daily Index of EDGAR Dissemination Feed
Last Data Received:    Nov 20, 2026

"""
MASTER = "CIK|Company Name|Form Type|Date Filed|File Name\n" + "-" * 80 + "\n"


def read(dataset: Dataset, text: str | bytes, name: str = "file") -> list[Batch]:
    body = text.encode("latin-1") if isinstance(text, str) else text
    piece = ArchiveMember(dataset.key, name, "0" * 64, NOW, Scope.FEED, "b", lambda: io.BytesIO(body))
    return [batch for part in dataset.split_members(piece) for batch in dataset.read_batches(part)]


def entry(number: str, cik: int, role: str = "Filer", form: str = "8-K", **more: str) -> str:
    name = more.get("name", "EXAMPLE - CORP &amp; (SONS) /DE/")
    summary = f" &lt;b&gt;Filed:&lt;/b&gt; {more.get('filed', '2026-11-20')} &lt;b&gt;AccNo:&lt;/b&gt; {number}"
    return (
        f"<entry><title>{form} - {name} ({cik:010}) ({role})</title>"
        f'<link rel="alternate" href="https://www.sec.gov/Archives/edgar/data/{cik}/x-index.htm"/>'
        f'<summary type="html">{summary}{more.get("items", "")}</summary>'
        f"<updated>{more.get('updated', '2026-11-20T16:03:43-05:00')}</updated>"
        f'<category scheme="https://www.sec.gov/" label="form type" term="{form}"/>'
        f"<id>urn:tag:sec.gov,2008:accession-number={number}</id></entry>"
    )


def atom(*entries: str) -> str:
    head = '<?xml version="1.0" encoding="ISO-8859-1" ?>\n<feed xmlns="http://www.w3.org/2005/Atom">'
    return f"{head}<title>Latest Filings</title><id>x</id><updated>x</updated>{''.join(entries)}</feed>"


def rows(batches: Iterable[Batch]) -> pl.DataFrame:
    return pl.concat([batch.rows for batch in batches])


def codes(batches: Iterable[Batch]) -> set[tuple[str, str]]:
    return {(signal.code, signal.subject) for batch in batches for signal in batch.signals}


def test_an_entry_is_a_filing_and_one_party_of_it() -> None:
    items = "\n&lt;br&gt;Item 2.02: Results\n&lt;br&gt;Item 9.01: Exhibits"
    found = read(current_filings.DATASET, atom(entry("0000320193-26-000005", 320193, items=items)))
    assert rows(found).to_dicts() == [
        {
            f.ACCESSION: "0000320193-26-000005",
            f.CIK: "0000320193",
            f.ROLE: "Filer",
            f.FORM: "8-K",
            f.FILED: date(2026, 11, 20),
            f.ACCEPTED: datetime(2026, 11, 20, 21, 3, 43, tzinfo=UTC),
            f.ITEMS: ["2.02", "9.01"],
        }
    ]
    assert not codes(found)


def test_pitfall_08_one_filing_comes_once_per_party_and_again_on_the_next_page() -> None:
    number = "0000080661-26-000032"
    page = atom(
        entry(number, 80661, "Issuer", "4"), entry(number, 1, "Reporting", "4"), entry(number, 80661, "Issuer", "4")
    )
    found = rows(read(current_filings.DATASET, page))
    assert found.select(f.ACCESSION, f.CIK, f.ROLE).rows() == [
        (number, "0000080661", "Issuer"),
        (number, "0000000001", "Reporting"),
    ]


def test_pitfall_08_a_form_is_the_category_and_not_the_beginning_of_another() -> None:
    numbers = [f"0000000001-26-00000{digit}" for digit in range(4)]
    forms = ("4", "40-F", "424B2", "SC 13D/A")
    page = atom(*(entry(number, 7, form=form) for number, form in zip(numbers, forms, strict=True)))
    staged = {f.CURRENT.name: rows(read(current_filings.DATASET, page))}
    assert list(filing_subjects(staged, {"4"})) == [f"{numbers[0]}:0000000007:4:2026-11-20"]
    assert list(filing_subjects(staged, STAKES)) == [f"{numbers[3]}:0000000007:SC 13D/A:2026-11-20"]


def test_an_entry_without_number_party_or_form_is_refused_and_the_others_stay() -> None:
    page = atom(
        entry("0000000001-26-000001", 7),
        entry("1-26-1", 7),
        entry("0000000001-26-000002", 0),
        entry("0000000001-26-000003", 7, form=""),
    )
    found = read(current_filings.DATASET, page)
    assert rows(found).height == 1
    assert found[0].rejects["reason"].to_list() == ["no accession number", "no CIK and role in the title", "no form"]


def test_what_is_new_in_an_entry_is_told() -> None:
    page = atom(
        entry("0000000001-26-000001", 7, "Nobody", updated="2026-11-20T16:03:43", filed="2026-13-45").replace(
            "</entry>", "<rights/></entry>"
        )
    )
    found = read(current_filings.DATASET, page.replace("<id>x</id>", "<generator/>"))
    assert rows(found).select(f.FILED, f.ACCEPTED).row(0) == (None, None)
    assert codes(found) == {
        ("unknown_element", "generator"),
        ("unknown_element", "entry.rights"),
        ("unknown_code", "role Nobody"),
        ("unreadable_value", "Filed"),
        ("unreadable_value", "updated"),
    }


@pytest.mark.parametrize(
    "body",
    [b"<rss/>", b"{}", b"<feed", atom(entry("0000000001-26-000001", 7)).encode()[:-30]],
    ids=["another root", "JSON", "a beginning", "cut off"],
)
def test_what_is_no_atom_page_is_refused_as_a_file(body: bytes) -> None:
    with pytest.raises(UnreadableFileError, match=r"us\.getcurrent: file: "):
        read(current_filings.DATASET, body)


def test_html_for_atom_is_the_end_of_the_feed() -> None:
    found = current_filings.recognise_file("x.atom", b"<!DOCTYPE html>\n<html><title>SEC.gov | File Unavailable")
    assert isinstance(found, NotApplicable)
    assert current_filings.recognise_file("x.atom", atom().encode()) == RecognisedFile(None, Scope.FEED)


def test_entities_are_not_expanded() -> None:
    bomb = '<!DOCTYPE feed [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>'
    page = atom(entry("0000000001-26-000001", 7, name="&b;")).replace("?>", "?>" + bomb, 1)
    found = read(current_filings.DATASET, page)
    assert rows(found).height <= 1


def test_pitfall_09_dates_with_dashes_in_full_indexes_and_without_in_daily_ones() -> None:
    daily = HEAD + MASTER + "320193|Apple Inc.|8-K|20261120|edgar/data/320193/0000320193-26-000005.txt\n"
    full = daily.replace("File Name", "Filename").replace("20261120", "2026-11-20")
    for text in (daily, full):
        assert rows(read(edgar_index.DATASET, text)).rows() == [
            ("0000320193-26-000005", "0000320193", "8-K", date(2026, 11, 20))
        ]


@pytest.mark.parametrize("widths", [(12, 62, 12, 12), (17, 50, 14, 16)], ids=["narrow", "wide"])
@pytest.mark.parametrize("by_company", [False, True], ids=["form.idx", "company.idx"])
def test_pitfall_09_columns_stand_where_the_header_says(widths: tuple[int, ...], by_company: bool) -> None:
    form_width, name_width, cik_width, date_width = widths

    def line(form: str, name: str, cik: str, filed: str, path: str) -> str:
        first = [form.ljust(form_width), name.ljust(name_width)]
        rest = cik.ljust(cik_width) + filed.ljust(date_width) + path
        return "".join(reversed(first) if by_company else first) + rest

    text = "\n".join(
        (
            HEAD,
            line("Form Type", "Company Name", "CIK", "Date Filed", "File Name"),
            "-" * 140,
            line("SC 13D/A", "Ö & Co", "7", "20261120", "edgar/data/7/0000000001-26-000001.txt   "),
            line("1-A POS", "CIK FORM TYPE INC", "8", "2026-11-19", "edgar/data/8/0000000001-26-000002.txt"),
        )
    )
    assert rows(read(edgar_index.DATASET, text)).rows() == [
        ("0000000001-26-000001", "0000000007", "SC 13D/A", date(2026, 11, 20)),
        ("0000000001-26-000002", "0000000008", "1-A POS", date(2026, 11, 19)),
    ]


def test_one_filing_of_two_filers_is_two_rows_and_one_said_twice_is_one() -> None:
    line = "{}|X|4|20261120|edgar/data/{}/0000000001-26-000001.txt\n"
    text = HEAD + MASTER + line.format(7, 7) + line.format(8, 8) + line.format(7, 7)
    assert sorted(rows(read(edgar_index.DATASET, text))[f.CIK]) == ["0000000007", "0000000008"]


def test_an_index_of_a_day_without_filings_has_no_rows_and_is_read() -> None:
    (only,) = read(edgar_index.DATASET, HEAD + MASTER)
    assert only.rows.is_empty()
    assert only.rejects.is_empty()


def test_lines_that_lack_something_are_refused_one_by_one() -> None:
    good = "7|X|10-K|20261120|edgar/data/7/0000000001-26-000001.txt\n"
    bad = "0|X|10-K|20261120|edgar/data/7/0000000001-26-000002.txt\n7|X|10-K|20261350|edgar/data/7/x.txt\nnonsense\n"
    (found,) = read(edgar_index.DATASET, HEAD + MASTER + good + bad)
    assert found.rows.height == 1
    assert found.rejects.height == 3


def test_a_name_with_bars_in_it_moves_nothing() -> None:
    line = "350001|Three `!#$(),:;=.-;\\|@/{}|10-K|20261120|edgar/data/350001/0000000001-26-000001.txt\n"
    (found,) = read(edgar_index.DATASET, HEAD + MASTER + line)
    assert found.rows.rows() == [("0000000001-26-000001", "0000350001", "10-K", date(2026, 11, 20))]


def test_an_index_that_nobody_unpacks_is_left_out_for_a_reason() -> None:
    left = edgar_index.DATASET.recognise_file("full-index/2001/QTR1/master.Z", b"\x1f\x9d\x90CIK")
    assert isinstance(left, NotApplicable)
    assert "compress" in left.reason


def test_an_index_comes_packed_and_as_the_addresses_of_crawlers() -> None:
    text = HEAD + MASTER + "7|X|10-K|20261120|edgar/data/7/0000000001-26-000001.txt\n"
    assert rows(read(edgar_index.DATASET, gzip.compress(text.encode()))).height == 1
    crawled = text.replace("edgar/data/7/0000000001-26-000001.txt", "").replace("File Name", "URL").strip()
    crawled += "https://www.sec.gov/Archives/edgar/data/7/000000000126000001/0000000001-26-000001-index.htm\n"
    assert rows(read(edgar_index.DATASET, crawled))[f.ACCESSION].to_list() == ["0000000001-26-000001"]


@pytest.mark.parametrize("text", ["no header\n" * 80, HEAD + "CIK|Form Type\n" + "-" * 80 + "\n7|4\n", HEAD])
def test_what_is_no_index_is_refused_as_a_file(text: str) -> None:
    with pytest.raises(UnreadableFileError, match=r"us\.index: file: no "):
        read(edgar_index.DATASET, text)


def test_pitfall_01_the_xml_of_a_missing_index_is_no_index() -> None:
    body = b'<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>AccessDenied</Code></Error>'
    assert isinstance(edgar_index.recognise_file("master.20261122.idx", body), NotApplicable)
    assert isinstance(edgar_index.recognise_file("listing.htm", b"<!DOCTYPE HTML><html>"), NotApplicable)


def test_who_hands_a_filing_in_is_not_asked_about_and_the_index_adds_whom_the_feed_left_out() -> None:
    stake = "0000000001-26-000009"
    page = atom(entry(stake, 7, "Subject", "SC 13G"), entry(stake, 8, "Filed by", "SC 13G"))
    index = (
        HEAD
        + MASTER
        + "".join(
            f"{cik}|X|{form}|20261120|edgar/data/{cik}/{number}.txt\n"
            for cik, form, number in ((7, "SC 13G", stake), (8, "SC 13G", stake), (9, "10-K", "0000000001-26-000010"))
        )
    )
    staged = {
        f.CURRENT.name: rows(read(current_filings.DATASET, page)),
        f.INDEX.name: rows(read(edgar_index.DATASET, index)),
    }
    assert list(filing_subjects(staged, OF_PROFILES)) == [
        f"{stake}:0000000007:SC 13G:2026-11-20",
        "0000000001-26-000010:0000000009:10-K:2026-11-20",
    ]
    assert next(filing_subjects(staged, STAKES, ("Filed by",))) == f"{stake}:0000000008:SC 13G:2026-11-20"
    assert not list(filing_subjects({}, OF_PROFILES))


def test_a_subject_reads_back() -> None:
    filing = FeedFiling("0000000001-26-000009", "0000000007", "SC 13D/A", "2026-11-20")
    assert FeedFiling.of(str(filing)) == filing
    assert FeedFiling.of("bulk") is None


def test_filings_that_were_asked_about_are_known_again_and_the_oldest_are_forgotten() -> None:
    memory = FetchedFilings()
    for number in range(KEPT + 2):
        memory.add(f"{number % 977:010}-26-{number:06}")
    again = FetchedFilings.of(memory.cursor())
    assert len(again) == KEPT
    assert not again.has_filing("0000000001-26-000001")
    assert again.has_filing(f"{(KEPT + 1) % 977:010}-26-{KEPT + 1:06}")
    assert len(FetchedFilings.of(Cursor("no cursor"))) == 0


def test_the_genuine_pages_and_indexes_are_read_whole(sources: Path) -> None:
    pages = sorted((sources / "us" / "getcurrent").glob("*.atom"))
    counts = {page.name: rows(read(current_filings.DATASET, page.read_bytes(), page.name)) for page in pages}
    due = {page.name: 40 if page.name.startswith("count40") else 100 for page in pages}
    due["page1.another_poll.atom"] = 99  # one party stands there twice
    assert {name: frame.height for name, frame in counts.items()} == due
    assert counts["type4.page0.atom"][f.ACCESSION].n_unique() == 46
    assert all(frame[f.ACCEPTED].null_count() == 0 for frame in counts.values())
    found = {
        path.name: read(edgar_index.DATASET, path.read_bytes(), path.name)
        for path in (sources / "us" / "index").glob("*.idx")
    }
    assert {name: rows(batches).height for name, batches in found.items()} == {
        "daily.empty-form.idx": 0,
        "daily.form.20200318.idx": 4031,
        "daily.master.20181231.idx": 10,
        "full.master.idx": 20,
    }
    assert all(batch.rejects.is_empty() for batches in found.values() for batch in batches)


@pytest.mark.parametrize(
    "header",
    [
        "CIK|Company Name|Form Type|Date Filed|\nFile Name\n",
        "CIK|Company Name|Form Type\n|Date Filed|File Name\n",
        "CIK|Company Name|Form Type|Date Filed|File Name\n",
        "CIK|Company\n Name|Form Type|Date Filed|File\n Name\n",  # within titles, over three lines
        "\xef\xbb\xbfCIK|Company Name|Form Type|Date Filed|Filename\n",
    ],
)
@pytest.mark.parametrize("rule", ["-" * 80 + "\n", ""])
def test_an_index_whose_header_broke_over_two_lines_is_read(header: str, rule: str) -> None:
    line = "42|EXAMPLE|CORP|8-K|20261120|edgar/data/42/0000000042-26-000001.txt\n"
    found = rows(read(edgar_index.DATASET, HEAD + header + rule + line))
    assert found.select("cik", "form").rows() == [("0000000042", "8-K")]
