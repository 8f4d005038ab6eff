"""Lines read without a mark in each: taken where the reader that looks at each line finds the same, else not at all."""

from __future__ import annotations

import random
from collections.abc import Container, Sequence

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from connectors.kit.csv import encoding, fast_quoted, fast_unquoted
from connectors.kit.csv.byte_masks import as_uint8, byte_mask, count_bytes, line_offsets
from connectors.kit.csv.rows import LINE, RowReader
from tests.tables import check_cases

WIDTH = 3
_bodies = st.text(st.sampled_from("ab;\n\r\0\x1e\ufeffé"), max_size=40).map(str.encode) | st.lists(
    st.lists(st.sampled_from(["", "a", "é b"]), min_size=WIDTH - 1, max_size=WIDTH + 1), max_size=6
).map(lambda lines: "".join(";".join(line) + "\n" for line in lines).encode())


def by_marks(body: bytes) -> tuple[list[tuple[str | None, ...]], int]:
    """Rows as the reader finds them that marks each line, and how many lines it refuses."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fast_unquoted, "parse_unquoted", lambda *_: None)
        rows, _ = RowReader(WIDTH, [0, 2], ";", None).read(body, 1, final=True)
    return [row for frame in rows.frames for row in frame.drop(LINE).rows()], len(rows.rejected)


@settings(max_examples=200)
@given(_bodies)
@example(b"a;b;c\n")
@example(b"a;b;c;\nd;e\n")  # as many separators as are due, and not in their lines
@example(b"a;b\nd;e;f;\n")
@example(b"a;b;c\nd;e;f")
@example(b"\n")
def test_what_is_taken_without_quotes_is_what_another_reader_reads(body: bytes) -> None:
    found = fast_unquoted.parse_unquoted(body, WIDTH, [2, 0], ";")
    if found is not None:
        assert by_marks(body) == (found.rows(), 0)
        assert found.height == body.count(b"\n")


def test_lines_of_as_many_fields_as_are_due_are_taken() -> None:
    found = fast_unquoted.parse_unquoted("a;b;\n;é;c\n".encode(), WIDTH, [2, 0], ";")
    assert found is not None
    assert found.rows() == [("a", None), (None, "c")]
    assert fast_unquoted.parse_unquoted(b"a;b;\xe9\n", WIDTH, [0, 1, 2], ";") is None  # no UTF-8
    assert fast_unquoted.parse_unquoted(b"", WIDTH, [0], ";") is None


def of_quotes(line: bytes) -> bool:
    """Whether a line is fields in quotes, cut at each quote; not where a value is a separator alone."""
    first, *parts, last = line.split(b'"') if line.count(b'"') > 1 else (line, b"")
    between, values = parts[1::2], parts[::2]
    return not first and not last and len(parts) % 2 == 1 and set(between) <= {b";"} and b";" not in values


def damaged(drawn: random.Random) -> bytes:
    line = b'"%b"' % b'";"'.join(
        bytes(drawn.choices(b"a;b", k=drawn.choice((0, 1, 1, 2)))) for _ in range(drawn.randint(1, 3))
    )
    if drawn.random() < 0.3:
        at = drawn.randrange(len(line) + 1)
        put = drawn.choice((b'"', b";", b"\n", b"x", b'""', b'";"', b""))
        line = line[:at] + put + line[at + drawn.randint(0, 1) :]
    return line + b"\n"


def test_lines_of_quotes_are_told_from_the_others() -> None:
    drawn = random.Random(20261122)
    for _ in range(400):
        body = b"".join(damaged(drawn) for _ in range(drawn.randint(1, 5)))
        found = fast_quoted.index_quoted_lines(body, ";", '"')
        if found is None:
            assert not body.startswith(b'"')
            continue
        lines = body.split(b"\n")[:-1]
        assert found.others == {at: line for at, line in enumerate(lines) if not of_quotes(line)}, body
        assert found.body == body
        assert found.order.to_list() == [sign == ord("\n") for sign in body if sign in b'"\n'], body
        if 0 not in found.others:  # its width is what polars goes by
            assert rows_of(found) == rows_by_line(lines, found.others), body


def rows_of(lines: fast_unquoted.LineIndex) -> list[tuple[str | None, ...]] | None:
    frame = fast_unquoted.parse_unquoted_except(lines, 2 * WIDTH + 1, range(1, 2 * WIDTH, 2), '"')
    return None if frame is None else frame.rows()


def rows_by_line(lines: Sequence[bytes], others: Container[int]) -> list[tuple[str | None, ...]] | None:
    """Values of all lines but the others; None where one of them has too few or too many."""
    values = [line.split(b'"')[1::2] for at, line in enumerate(lines) if at not in others]
    if any(len(fields) != WIDTH for fields in values):
        return None
    return [tuple(field.decode() or None for field in fields) for fields in values]


@settings(max_examples=200)
@given(st.lists(st.tuples(st.sampled_from([b"a;b;c", b";;"]), st.none() | st.binary(max_size=6)), max_size=6))
@example([(b"a;b;c", b""), (b"a;b;c", b""), (b";;", b"")])
@example([(b"a;b;c", b"x" * 70_000), (b"a;b;c", b";;;;;;;"), (b";;", b"a;b;c")])
def test_whatever_other_lines_hold_the_rows_are_those_of_the_rest(drawn: list[tuple[bytes, bytes | None]]) -> None:
    pairs = [(line, None if other is None else other.replace(b"\n", b"")) for line, other in drawn]
    texts = [text for line, other in pairs for text in ((line,) if other is None else (line, other))]
    places = [at for line, other in pairs for at in ((False,) if other is None else (False, True))]
    body = b"".join(text + b"\n" for text in texts)
    others = {at: text for at, (text, is_other) in enumerate(zip(texts, places, strict=True)) if is_other}
    ends = byte_mask(as_uint8(body), "\n")
    found = fast_unquoted.parse_unquoted_except(
        fast_unquoted.LineIndex(body, ends.filter(ends | byte_mask(as_uint8(body), ";")), others), WIDTH, [2, 0], ";"
    )
    due = fast_unquoted.parse_unquoted(b"".join(line + b"\n" for line, _ in pairs), WIDTH, [2, 0], ";")
    assert found is None or due is not None
    if found is not None and due is not None:
        assert found.rows() == due.rows()
    if body.isascii() and body and not {0, 13} & set(body):
        assert found is not None  # the first line is none of them


def test_other_lines_do_not_hide_that_one_has_too_few_fields_and_another_too_many() -> None:
    # without three signs behind the ninth, all that is left looks like lines of three
    body = b";;\n\n;\n;;\n;;;;;\n;;\n"
    ends = byte_mask(as_uint8(body), "\n")
    order = ends.filter(ends | byte_mask(as_uint8(body), ";"))
    assert (
        fast_unquoted.parse_unquoted_except(fast_unquoted.LineIndex(body, order, {3: b";;"}), WIDTH, [0], ";") is None
    )


def test_lines_of_another_kind_are_few_or_all_are_left_to_others(monkeypatch: pytest.MonkeyPatch) -> None:
    body = b'"a";"b"\n' + b'"a"x;"b"\n' * 3
    found = fast_quoted.index_quoted_lines(body, ";", '"')
    assert found is not None
    assert found.others == dict.fromkeys((1, 2, 3), b'"a"x;"b"')
    for most in range(6):  # quotes that are out of their places: two in each line
        monkeypatch.setattr(fast_quoted, "MOST_ODD_SIGNS", most)
        assert fast_quoted.index_quoted_lines(body, ";", '"') is None


def test_bytes_are_counted_and_lines_found_in_large_bodies() -> None:
    assert [count_bytes(b'a"b""\n', sign) for sign in ('"', "\n", "x")] == [3, 1, 0]
    body = b"".join(b"x" * length + b"\n" for length in (5, 70_000, 0, 3, 200_000, 1))
    starts = [0, *(at + 1 for at, byte in enumerate(body) if byte == ord("\n"))][:-1]
    assert list(line_offsets(byte_mask(as_uint8(body), "\n"), range(6))) == starts


@check_cases("byte", range(256))
def test_western_text_is_read_by_the_quick_way_only_where_both_agree(byte: int) -> None:
    body = b"ab" + bytes([byte])
    if encoding.is_latin(body):
        assert body.decode("latin-1") == body.decode("cp1252")
    else:
        assert 0x80 <= byte <= 0x9F
