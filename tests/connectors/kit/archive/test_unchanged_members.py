"""What a zip holds as the one before it: by name, size and CRC-32, and never where anything is in doubt."""

from __future__ import annotations

import io
import warnings
import zipfile
from typing import BinaryIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.contract.pieces import PreviousArchive
from connectors.kit.archive import members as archive_members
from connectors.kit.archive.unchanged_members import has_removed_members
from tests.tables import check_cases


def packed(*members: tuple[str, bytes]) -> bytes:
    body = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(body, "w", zipfile.ZIP_DEFLATED) as archive:
        warnings.simplefilter("ignore")  # a name that stands there twice
        for name, content in members:
            archive.writestr(name, content)
    return body.getvalue()


def opener(body: bytes) -> BinaryIO:
    return io.BytesIO(body)


def fresh(now: bytes, before: bytes, *told: str) -> list[str]:
    former = PreviousArchive(lambda: opener(before), frozenset(told))
    return [
        member.name
        for member in archive_members.archive_members(lambda: opener(now), "now.zip", previous_archive=former)
    ]


OLD = packed(("a.json", b"one"), ("b.json", b"two"), ("c/d.json", b"three"))


@check_cases(
    ("now", "told", "read"),
    [
        (packed(("c/d.json", b"three"), ("a.json", b"one")), (), []),
        (packed(("a.json", b"One"), ("b.json", b"two")), (), ["a.json"]),
        (packed(("a.json", b"ones"), ("b.json", b"two")), (), ["a.json"]),
        (packed(("e.json", b"one"), ("b.json", b"two")), (), ["e.json"]),
        (packed(("d.json", b"three")), (), ["d.json"]),
        (packed(("a.json", b"one"), ("b.json", b"two")), ("answers/A.json",), ["a.json"]),
        (packed(("a.json", b"one"), ("b.json", b"two")), ("else.json",), ["a.json", "b.json"]),
        (packed(("a.json", b"one"), ("a.json", b"one"), ("b.json", b"two")), (), ["a.json", "a.json~2"]),
    ],
    ids=["nothing", "content", "size", "name", "folder", "told since", "told since of what is no member", "twice"],
)
def test_what_differs_is_read(now: bytes, told: tuple[str, ...], read: list[str]) -> None:
    assert fresh(now, OLD, *told) == read


@pytest.mark.parametrize(
    "before",
    [b"", b"no zip", OLD[:-9], packed(("a.json", b"one"), ("a.json", b"one"))],
    ids=["empty", "no zip", "cut off", "twice"],
)
def test_against_what_cannot_be_believed_all_is_read(before: bytes) -> None:
    assert fresh(packed(("a.json", b"one")), before) == ["a.json"]


def test_members_of_an_archive_inside_are_read_with_it() -> None:
    inner = packed(("x.json", b"x"))
    assert fresh(packed(("in.zip", inner)), packed(("in.zip", inner))) == []
    assert fresh(packed(("in.zip", packed(("x.json", b"y")))), packed(("in.zip", inner))) == ["in.zip!/x.json"]


@check_cases(
    ("now", "before", "lacks"),
    [
        (
            packed(("b.json", b"2"), ("a.json", b"1"), ("c.json", b"3")),
            packed(("a.json", b"one"), ("b.json", b"2")),
            False,
        ),
        (packed(("a.json", b"one")), OLD, True),
        (b"no zip", OLD, True),
        (OLD, OLD[:-9], True),
    ],
    ids=["more", "fewer", "no zip", "previous cut off"],
)
def test_lacks_members_is_true_unless_every_name_is_there(now: bytes, before: bytes, *, lacks: bool) -> None:
    assert has_removed_members(lambda: opener(now), lambda: opener(before)) == lacks


CONTENTS = st.dictionaries(st.sampled_from("abcdef"), st.binary(max_size=2), max_size=6)


@given(CONTENTS, CONTENTS)
def test_the_rest_is_what_was_there(before: dict[str, bytes], now: dict[str, bytes]) -> None:
    read = fresh(packed(*now.items()), packed(*before.items()))
    assert set(read) == {name for name, body in now.items() if before.get(name) != body}
