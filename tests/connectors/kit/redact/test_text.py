"""What a redaction is shown: the text of a body, or the reason why there is none."""

import gzip
import io

import pytest

from connectors.kit.archive.bounded_stream import ArchiveError
from connectors.kit.redact import text as redact_text
from tests.fuzz.packs import packed
from tests.tables import check_cases


@check_cases("text", [b"", b'{"a": 1}', b"<html>", b"a;b\n1;2\n", "{}".encode("utf-16-le")])
def test_texts_are_given_and_stay_open(text: bytes) -> None:
    for body in (text, gzip.compress(text)):
        lent = io.BytesIO(body)
        with redact_text.open_text(lent) as found:
            assert found.read() == text
        assert not lent.closed


@check_cases(
    ("body", "reason"),
    [
        (packed([("a", b"{}")]), "expected text, found zip"),
        (gzip.compress(packed([("a", b"{}")])), "expected text, found zip"),
        (gzip.compress(gzip.compress(b"{}")), "expected text, found gzip"),
        (b"%PDF-1.7", "expected text, found pdf"),
        (bytes(range(1, 32)) * 9, "expected text, found unknown"),
    ],
    ids=["a zip", "a zip within gzip", "gzip twice", "a page", "noise"],  # gzip says when: no name for a test
)
def test_what_hides_what_it_holds_is_refused(body: bytes, reason: str) -> None:
    with pytest.raises(ArchiveError, match=reason):
        redact_text.open_text(io.BytesIO(body))


def test_more_than_is_taken_is_refused_and_as_much_is_given() -> None:
    assert redact_text.read_text(io.BytesIO(gzip.compress(b"a;b")), 3) == b"a;b"
    with pytest.raises(ArchiveError, match="more than 2 bytes"):
        redact_text.read_text(io.BytesIO(gzip.compress(b"a;b")), 2)


def test_gzip_that_breaks_off_gives_what_came_before_and_tells() -> None:
    lines = b"".join(b'{"a": %d}\n' % number for number in range(100_000))
    with redact_text.open_text(io.BytesIO(gzip.compress(lines)[:-1000])) as found:
        assert found.read(1000) == lines[:1000]
        with pytest.raises(ArchiveError, match="damaged"):
            found.read()
