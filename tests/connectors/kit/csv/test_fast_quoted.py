"""Lines whose every field stands in quotes: taken where the reader that marks each line finds the same, else not at all."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from connectors.kit.csv import fast_quoted
from connectors.kit.csv.rows import LINE, RowReader
from tests.tables import check_cases

WIDTH = 3
_cells = st.one_of(st.text('ab,"\n\r é', max_size=5), st.just(""))
_line = st.lists(_cells, min_size=WIDTH, max_size=WIDTH)
_damage = st.one_of(
    st.none(), st.tuples(st.integers(0, 200), st.sampled_from(['"', ",", "\n", "", '""', '","', '"",""', "x", "\0"]))
)


def written(lines: list[list[str]], end: str = "\n") -> str:
    return "".join(",".join('"' + cell.replace('"', '""') + '"' for cell in line) + end for line in lines)


def by_marks(text: str) -> tuple[list[tuple[str | None, ...]], int]:
    """Rows as the reader finds them that marks each line, and how many lines it refuses."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fast_quoted, "parse_fully_quoted", lambda *_: None)
        rows, _ = RowReader(WIDTH, range(WIDTH), ",", '"').read(text.encode(), 1, final=True)
    return [row for frame in rows.frames for row in frame.drop(LINE).rows()], len(rows.rejected)


def taken(text: str) -> list[tuple[str | None, ...]] | None:
    frame = fast_quoted.parse_fully_quoted(text.encode(), WIDTH, ",", '"')
    return None if frame is None else frame.rows()


def test_all_there_is_taken_with_its_quotes_commas_and_empty_cells() -> None:
    lines = [["a", "", 'say "hi", twice'], ['"', ",", '",",'], ["", "", ""], ["é", " b ", '""']]
    assert taken(written(lines)) == [tuple(cell or None for cell in line) for line in lines]
    assert taken(written(lines, "\r\n")) == taken(written(lines))


@check_cases(
    "text",
    [
        '"a","b"\n',  # a field too few
        '"a","b","c","d"\n',
        '"a","b"\n"c","d","e","f"\n',  # as many fields as are due, and not in their rows
        '"a","b"\n"c","d","x"",""y"\n',  # quotes and commas as many as are due
        '"a","b",c\n',
        '"a","b",c\n"d","e","f""g"\n',  # as many quotes as are due
        '"a","b"\n"d","e","f""g"\n',
        '"","a"\n"","""a",""\n',
        '"","",""\r\n"","a""",""\r\n"",""""\n',  # as many bytes as are due
        '"","a""""",""\n"aa""""","aaa""""",""\n""""""aa","a"aa",""\n',  # as many of both
        '"a","b","c\nd"\n',  # a record over two lines
        '"a","b","c"\n\n"d","e","f"\n',
        'a,b,c\n"d"",""e","f"",""g","h"",""i"\n',
        '"a","b","c"\0\n',
        '\ufeff"a","b","c"\n',
        '"a","b"x,"c"\n',
        "",
    ],
)
def test_what_lacks_anything_is_not_taken(text: str) -> None:
    assert taken(text) is None


def test_what_is_not_utf8_is_not_taken() -> None:
    assert fast_quoted.parse_fully_quoted(b'"a","b","\xe5"\n', WIDTH, ",", '"') is None


@settings(max_examples=300)
@given(st.lists(_line, min_size=1, max_size=4), st.lists(_damage, max_size=3), st.sampled_from(["\n", "\r\n"]))
@example([["a", "b", "c"]], [None], "\n")
def test_what_is_taken_is_what_another_reader_reads(
    lines: list[list[str]], damages: list[tuple[int, str] | None], end: str
) -> None:
    text = written(lines, end)
    for damage in filter(None, damages):
        place, put = damage
        place %= len(text)
        text = text[:place] + put + text[place + 1 :]
    found = taken(text)
    if found is not None:
        assert by_marks(text) == (found, 0)
        assert len(found) == text.count("\n")
