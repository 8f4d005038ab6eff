"""Some lines of a body by their index: the same as cutting it at every line end."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.kit import ragged
from connectors.kit.ragged import lines_at


@given(st.lists(st.binary(max_size=9).map(lambda text: text.replace(b"\n", b"")), min_size=1), st.data())
def test_lines_are_those_of_the_whole_cut(lines: list[bytes], data: st.DataObject) -> None:
    wanted = sorted(data.draw(st.sets(st.integers(0, len(lines) - 1))))
    for leaf in (0, 3, 1 << 15):
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(ragged, "_LEAF", leaf)
            for body in (b"\n".join(lines), b"\n".join([*lines, b""])):
                assert lines_at(body, wanted) == {index: lines[index] for index in wanted}
