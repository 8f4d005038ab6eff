"""Profiles that were read lately are kept: as many as are allowed, and for their release alone."""

import sqlite3
from types import SimpleNamespace

import pytest

from tests.warehouse.world import learn, member, publish
from warehouse.reader import open_release
from warehouse.reader.queries import profiles
from warehouse.reader.reader import ReleaseReader
from warehouse.reader.types import ProfileDocument
from warehouse.storage.layout import Layout


class _Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def _names(reader: ReleaseReader, numbers: range) -> list[bytes | None]:
    with reader.pin_release() as snapshot:
        documents = [snapshot.profile(f"firm:NO:90000000{number}") for number in numbers]
    return [document.body.split(b'"name":"')[1].split(b'"')[0] if document else None for document in documents]


def test_a_new_release_is_read_anew(layout: Layout) -> None:
    clock = _Clock()
    reader = ReleaseReader(layout, clock)
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
    monkeypatch.setattr(open_release, "KEPT", 2)
    learn(layout, "NO", 0, companies=[member("NO", number) for number in range(1, 6)])
    publish(layout, "NO")
    read: list[str] = []

    def profile(connection: sqlite3.Connection, company_id: str) -> ProfileDocument | None:
        read.append(company_id)
        return profiles.company_profile(connection, company_id)

    monkeypatch.setattr(open_release, "profiles", SimpleNamespace(company_profile=profile))
    reader = ReleaseReader(layout)
    first = _names(reader, range(1, 6))
    assert None not in first
    assert len(read) == 5
    assert _names(reader, range(4, 6)) == first[3:]
    assert len(read) == 5, "the last two are kept"
    assert _names(reader, range(3, 4)) == first[2:3]
    assert len(read) == 6, "the one before them is not"
    reader.close()
