"""What genuine inline documents hold beyond the samples: separators left out, heads of packed bodies."""

import gzip
from decimal import Decimal

import pytest

from connectors.kit.formats import HEAD, BodyFormat, decompressed_head, detect_body_format
from connectors.kit.xbrl.transforms import UnacceptedTextError, parse_number


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("numdotdecimal", "1234,567", "1234567"),  # registries two and three leave each separator free
        ("numdotdecimal", "1,234567.50", "1234567.50"),
        ("numdotdecimal", "1 234567", "1234567"),
        ("numcommadecimal", "1234.567,5", "1234567.5"),
    ],
)
def test_a_separator_may_be_missing_where_the_registry_leaves_it_free(name, text, value):
    assert parse_number(name, text) == Decimal(value)


@pytest.mark.parametrize(
    ("name", "text"),
    [("numdotdecimal", "12,34"), ("numdotdecimal", "1,,234"), ("numcommadecimal", "1.23"), ("numspacedot", "1234 567")],
)
def test_what_no_registry_accepts_stays_without_value(name, text):
    with pytest.raises(UnacceptedTextError):
        parse_number(name, text)


def test_the_opening_of_a_packed_body_is_its_plain_text():
    packed = gzip.compress(b"<html>" + b"x" * 100_000)
    assert detect_body_format(decompressed_head(packed[:HEAD])) is BodyFormat.HTML
    assert decompressed_head(b"<html>") == b"<html>"
    assert decompressed_head(b"\x1f\x8bbroken") == b"\x1f\x8bbroken"
