"""Some lines of a body by their index: the same as cutting it at every line end."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.kit.csv import rows as csv_rows
from connectors.kit.csv.rows import lines_at


@given(st.lists(st.binary(max_size=9).map(lambda text: text.replace(b"\n", b"")), min_size=1), st.data())
def test_lines_are_those_of_the_whole_cut(lines: list[bytes], data: st.DataObject) -> None:
    wanted = sorted(data.draw(st.sets(st.integers(0, len(lines) - 1))))
    for leaf in (0, 3, 1 << 15):
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(csv_rows, "LINEWISE_BYTES", leaf)
            for body in (b"\n".join(lines), b"\n".join([*lines, b""])):
                assert lines_at(body, wanted) == {index: lines[index] for index in wanted}


@given(st.lists(st.binary(max_size=9).map(lambda text: text.replace(b"\n", b"")), min_size=1), st.data())
def test_lines_are_found_from_the_piece_they_end_in(lines: list[bytes], data: st.DataObject) -> None:
    wanted = sorted(data.draw(st.sets(st.integers(0, len(lines) - 1))))
    body = b"\n".join(lines)
    for piece in (1, 2, 5, 1 << 15):
        counted = [body[: start + piece].count(b"\n") for start in range(0, len(body), piece)]
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(csv_rows, "LINEWISE_BYTES", 3)
            patched.setattr(csv_rows, "MARKED_BYTES", piece)
            assert lines_at(body, wanted, counted) == {index: lines[index] for index in wanted}


_CELLS = st.lists(st.sampled_from(["a", "b", "å", "", "\0", "c\0d", "x\ty", "\x1e", "\ufeff"]), max_size=4)


@given(st.lists(_CELLS.map("\t".join), min_size=1))
def test_rows_do_not_depend_on_the_pieces_that_are_marked(lines: list[str]) -> None:
    body = "\n".join([*lines, ""]).encode()
    found: list[object] = []
    for piece in (1, 3, 7, 1 << 15):
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(csv_rows, "MARKED_BYTES", piece)
            rows, _ = csv_rows.RowReader(2, [0, 1], "\t", None).read(body, 2, final=True)
        read = sorted(row for frame in rows.frames for row in frame.iter_rows())
        found.append((read, rows.rejected, rows.nuls, rows.line))
    assert found.count(found[0]) == len(found)
