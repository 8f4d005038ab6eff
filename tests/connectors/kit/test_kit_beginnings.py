"""Texts that begin as packed ones do are read as the texts that they are."""

from __future__ import annotations

import gzip
import zlib

import pytest

from connectors.kit.csv import fast_quoted, fast_unquoted
from connectors.kit.csv import rows as csv_rows
from connectors.kit.csv.encoding import POLARS_MISREAD_PREFIXES
from tests.tables import check_cases


def cells(body: bytes, quote: str | None) -> list[tuple[str | None, ...]]:
    rows, _ = csv_rows.RowReader(2, range(2), ",", quote).read(body, 1, final=True)
    return [row for frame in rows.frames for row in frame.drop(csv_rows.LINE).iter_rows()]


@pytest.mark.parametrize("quote", ['"', None])
@pytest.mark.parametrize("beginning", [b"x^", b"x\x01"])
def test_a_name_that_begins_as_packed_bytes_do(beginning: bytes, quote: str | None) -> None:
    body = beginning + b" Holdings,b\n" + b"1,2\n" * 50
    assert cells(body, quote) == [(f"{beginning.decode()} Holdings", "b"), *[("1", "2")] * 50]
    assert fast_unquoted.parse_unquoted(body, 2, range(2), ",") is None


@check_cases("quote", ['"', None])
@check_cases("body", [gzip.compress(b"a,b\n" * 50, mtime=0), zlib.compress(b"a,b\n" * 50), zlib.compress(b"a,b\n", 1)])
def test_packed_bytes_are_not_unpacked_behind_our_back(body: bytes, quote: str | None) -> None:
    assert ("a", "b") not in cells(body + b"\n1,2\n", quote)


@check_cases("beginning", POLARS_MISREAD_PREFIXES)
def test_what_does_not_stay_as_it_stands_is_left_to_the_slow_way(beginning: bytes) -> None:
    body = beginning + b'"a","b"\n' * 50
    assert fast_quoted.parse_fully_quoted(body, 2, ",", '"') is None
    cells(body, '"')
