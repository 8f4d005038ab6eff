"""Profiles that were read lately are kept: as many as are allowed, and for their release alone."""

import pytest

from tests.warehouse.world import learn, member, publish
from warehouse import opened
from warehouse.paths import Layout
from warehouse.reader import Reader


class _Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def _names(reader: Reader, numbers: range) -> list[bytes | None]:
    with reader.pin() as snapshot:
        documents = [snapshot.profile(f"firm:NO:90000000{number}") for number in numbers]
    return [
        document.body.split(b'"name":"')[1].split(b'"')[0] if document else None for document in documents
    ]


def test_a_new_release_is_read_anew(layout: Layout) -> None:
    clock = _Clock()
    reader = Reader(layout, clock)
    learn(layout, "NO", 0, companies=[member("NO", 1), member("NO", 2)])
    publish(layout, "NO")
    former = _names(reader, range(1, 4))
    assert _names(reader, range(1, 4)) == former
    assert former[2] is None
    learn(layout, "NO", 1, companies=[member("NO", 1, name="Ny AS"), member("NO", 2), member("NO", 3)])
    publish(layout, "NO", at=1)
    clock.now += 1
    now = _names(reader, range(1, 4))
    assert now[0] == b"Ny AS"
    assert now[1] == former[1]
    assert now[2] is not None, "what was not there is not kept"
    reader.close()


def test_no_more_are_kept_than_allowed(layout: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opened, "KEPT", 2)
    learn(layout, "NO", 0, companies=[member("NO", number) for number in range(1, 6)])
    publish(layout, "NO")
    reader = Reader(layout)
    first = _names(reader, range(1, 6))
    assert None not in first
    assert _names(reader, range(1, 6)) == first
    assert reader._open is not None
    assert list(reader._open._kept) == ["firm:NO:900000004", "firm:NO:900000005"]
    reader.close()
