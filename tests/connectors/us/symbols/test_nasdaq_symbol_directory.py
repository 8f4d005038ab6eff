"""The symbol directory: two files, no test issues and funds, pages of HTML under its name."""

from __future__ import annotations

import io
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from connectors.contract.dataset import ArchiveMember, Batch, NotApplicable, RecognisedFile, Scope, UnreadableFileError
from connectors.us.symbols import nasdaq_symbol_directory as f
from connectors.us.symbols.nasdaq_symbol_directory import DATASET, map_listings, sec_symbol

NASDAQ = (
    "Symbol|Security Name|Market Category|Test Issue|Financial Status|Round Lot Size|ETF|NextShares\r\n"
    "AAPL|Apple Inc. - Common Stock|Q|N|N|100|N|N\r\n"
    "AACBR|Artius II Acquisition Inc. - Rights|G|N|D|100|N|N\r\n"
    "QQQ|Invesco QQQ Trust|G|N|N|100|Y|N\r\n"
    "ZVZZT|NASDAQ TEST STOCK|G|Y|N|100|N|N\r\n"
)
OTHERS = (
    "ACT Symbol|Security Name|Exchange|CQS Symbol|ETF|Round Lot Size|Test Issue|NASDAQ Symbol\n"
    "BRK.B|Berkshire Hathaway Inc. Class B |N|BRK.B|N|100|N|BRK.B\n"
    "ABR$D|Arbor Realty Preferred D|N|ABRpD|N|100|N|ABR-D\n"
    "AAA|Alternative Access ETF|P|AAA|Y|100|N|AAA\n"
    "ZTEST|Test|A|ZTEST|N|100|Y|ZTEST\n"
)
TRAILER = "File Creation Time: 0616202521:33||||||\n"


def read(text: str | bytes, scope: Scope = Scope.PART) -> Batch:
    body = text if isinstance(text, bytes) else text.encode()
    at = datetime(2025, 6, 17, tzinfo=UTC)
    sent = ArchiveMember(DATASET.key, "nasdaqlisted.txt", "sha", at, scope, "b", lambda: io.BytesIO(body))
    (batch,) = DATASET.read_batches(sent)
    return batch


def test_shares_of_both_files_without_tests_and_funds() -> None:
    assert read(NASDAQ + TRAILER).rows.select("symbol", "ticker", "mic", "status").rows() == [
        ("AAPL", "AAPL", "XNAS", "N"),
        ("AACBR", "AACBR", "XNAS", "D"),
    ]
    batch = read(OTHERS + TRAILER)
    assert batch.table == f.OTHERS.name
    assert batch.rows.select("symbol", "ticker", "mic", "name").rows() == [
        ("BRK.B", "BRK-B", "XNYS", "Berkshire Hathaway Inc. Class B"),
        ("ABR$D", "ABR-PD", "XNYS", "Arbor Realty Preferred D"),
    ]


def test_a_file_without_its_last_line_may_be_cut_off_and_is_told() -> None:
    assert [signal.code for signal in read(NASDAQ).signals] == ["no_creation_time"]
    assert read(NASDAQ + TRAILER).signals == ()


def test_as_a_complete_file_one_without_its_last_line_is_refused() -> None:
    assert read(NASDAQ + TRAILER, Scope.FULL).rows.height == 2
    with pytest.raises(UnreadableFileError, match="File Creation Time"):
        read(NASDAQ, Scope.FULL)


def test_bad_lines_are_refused_alone_and_unknown_codes_told() -> None:
    bad = "X|short\nNEW|New Corp. - Common Stock|Z|N|W|100|N|N\n|No symbol|Q|N|N|100|N|N\n"
    batch = read(NASDAQ + bad + TRAILER)
    assert batch.rows["symbol"].to_list() == ["AAPL", "AACBR", "NEW"]
    assert batch.rejects["reason"].to_list() == ["expected 8 fields, found 2", "no symbol"]
    assert [signal.subject for signal in batch.signals] == ["Financial Status W", "Market Category Z"]
    unknown = read(OTHERS + "QQ|Q Corp|K|QQ|N|100|N|QQ\n" + TRAILER)
    assert [signal.subject for signal in unknown.signals] == ["Exchange K"]
    assert unknown.rows.filter(pl.col("symbol") == "QQ")["mic"].to_list() == [None]


@pytest.mark.parametrize(
    ("symbol", "written"),
    [
        ("BRK.B", "BRK-B"),
        ("ABR$D", "ABR-PD"),
        ("A", "A"),
        ("AAM.U", "AAM-UN"),
        ("ACHR.W", "ACHR-WT"),
        ("AX.R", "AX-RI"),
    ],
)
def test_symbols_as_the_sec_writes_them(symbol: str, written: str) -> None:
    assert sec_symbol(symbol) == written


def test_symbols_become_listings_and_one_that_left_has_ended() -> None:
    def present(text: str, retired: datetime | None) -> pl.LazyFrame:
        return (
            read(text)
            .rows.lazy()
            .with_columns(
                _company_id=pl.when(pl.col("symbol") != "AACBR").then(pl.lit("firm:US:US0000320193")),
                _observed_at=pl.lit(datetime(2025, 6, 17, tzinfo=UTC)).cast(pl.Datetime("us", "UTC")),
                _raw=pl.lit("raw"),
                _retired_at=pl.lit(retired).cast(pl.Datetime("us", "UTC")),
            )
        )

    rows = map_listings(present(NASDAQ, None), present(OTHERS, datetime(2025, 6, 20, tzinfo=UTC)))
    found = rows.select("native_id", "exchange_mic", "ticker", "level", "ended_on").rows()
    assert found == [
        ("XNAS:AAPL", "XNAS", "AAPL", "regulated", None),
        ("XNYS:ABR$D", "XNYS", "ABR-PD", "regulated", date(2025, 6, 20)),
        ("XNYS:BRK.B", "XNYS", "BRK-B", "regulated", date(2025, 6, 20)),
    ]


@pytest.mark.parametrize("body", [b"", b"<html><title>Page Not Available</title></html>", b"a|b\n1|2\n", b"PK\x03\x04"])
def test_other_bodies_are_not_ours_and_unreadable(body: bytes) -> None:
    assert isinstance(DATASET.recognise_file("nasdaq_symdir/nasdaqlisted.txt", body), NotApplicable)
    with pytest.raises(UnreadableFileError):
        read(body)


@given(st.text(max_size=200) | st.binary(max_size=200))
@settings(max_examples=60)
def test_any_line_reads_or_is_refused(line: Any) -> None:
    body = line if isinstance(line, bytes) else line.encode()
    try:
        batch = read(NASDAQ.encode() + body + b"\n" + TRAILER.encode())
    except UnreadableFileError:
        return
    assert batch.rows.height >= 2


def test_genuine_files(sources: Path) -> None:
    folder = sources / "news" / "nasdaq_symdir"
    for path in sorted(folder.iterdir()):
        body = path.read_bytes()
        said = DATASET.recognise_file(f"nasdaq_symdir/{path.name}", body[:65_536])
        if path.suffix == ".html":
            assert isinstance(said, NotApplicable)
            continue
        assert isinstance(said, RecognisedFile)
        batch = read(body)
        assert batch.rejects.is_empty()
        assert [signal.code for signal in batch.signals] == ["no_creation_time"]  # the samples lost it
        lines = [line.split("|") for line in body.decode().splitlines()]
        header = lines[0]
        shares = [one for one in lines[1:] if "Y" not in (one[header.index("ETF")], one[header.index("Test Issue")])]
        assert batch.rows.height == len(shares)
