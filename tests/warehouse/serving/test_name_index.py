"""The name index of segments: whole, of several segments what a full one is, and looked for where it was once."""

import sqlite3
from contextlib import closing

import pytest

from tests.warehouse.helpers import release_documents, segment_file
from tests.warehouse.world import learn, member, publish
from warehouse.release.manifest import ReleaseManifest
from warehouse.release.segments import NAMES
from warehouse.storage.layout import Layout


def _publish(layout: Layout, at: int, names: dict[int, str]) -> ReleaseManifest | None:
    learn(layout, "NO", at, companies=[member("NO", place, name=name) for place, name in names.items()])
    return publish(layout, "NO", at=at)


def _found(layout: Layout, release: int, words: str) -> list[str]:
    """Names that match, as the service asks: over all segments."""
    found: list[str] = []
    with release_documents(layout, release) as connection:
        for index in connection.name_indexes:
            rows = connection.execute(
                f"""SELECT l.folded FROM {index.schema}.names
                    CROSS JOIN {index.schema}.labels AS l ON l.rank = names.rowid
                    WHERE names MATCH ?{index.visible("names.rowid")}""",
                (words,),
            )
            found += [name for (name,) in rows]
    return sorted(found)


def test_an_index_is_whole_and_harm_to_it_is_seen(layout: Layout) -> None:
    _publish(layout, 0, {place: f"Norsk Holding {place} Ærlig" for place in range(1, 301)})
    with closing(sqlite3.connect(segment_file(layout, 1, NAMES), isolation_level=None)) as connection:
        connection.execute("INSERT INTO names (names, rank) VALUES ('integrity-check', 1)")
        assert connection.execute("SELECT count(*) FROM names WHERE names MATCH 'hold*'").fetchone() == (300,)
        assert connection.execute("SELECT count(*) FROM words WHERE word = 'aerlig'").fetchone() == (1,)
        connection.execute("DELETE FROM names_data WHERE id > 10")
        with pytest.raises(sqlite3.DatabaseError):
            connection.execute("INSERT INTO names (names, rank) VALUES ('integrity-check', 1)")


def test_a_patch_withdraws_names_that_are_gone_and_adds_those_that_came(layout: Layout) -> None:
    names = {place: f"Norsk Holding {place}" for place in range(1, 101)}
    _publish(layout, 0, names)
    changed = {**names, 7: "Svensk Bygg 7", 101: "Svensk Bygg 101"}
    del changed[9]
    made = _publish(layout, 1, changed)
    assert made is not None
    assert made.kind == "patch"
    for release, due in ((1, names), (2, changed)):
        with closing(sqlite3.connect(segment_file(layout, release, NAMES))) as connection:
            connection.execute("INSERT INTO names (names, rank) VALUES ('integrity-check', 1)")
            connection.rollback()
        found = _found(layout, release, "hold* OR bygg")
        assert found == sorted(name.lower() for name in due.values())


def test_a_release_says_which_file_has_the_names(layout: Layout) -> None:
    """The base has one file of names; a delta, which is small, has them beside its documents."""
    _publish(layout, 0, {1: "Norsk Holding", 2: "Norsk Bygg"})
    made = _publish(layout, 1, {1: "Norsk Holding", 2: "Svensk Bygg"})
    assert made is not None
    base, delta = made.segments
    assert set(base.files) == set(delta.files) == {"rows", "documents", "names"}
    assert base.files["names"] != base.files["documents"]
    assert delta.files["names"] == delta.files["documents"]
    past = {name for name in made.sizes if name.startswith("past.")}
    assert len(past) == 1
    assert set(made.sizes) - past == {*base.files.values(), *delta.files.values()}


def test_documents_without_their_index_are_no_release(layout: Layout) -> None:
    _publish(layout, 0, {1: "Norsk Holding"})
    segment_file(layout, 1, NAMES).unlink()
    with pytest.raises(sqlite3.DatabaseError), release_documents(layout, 1):
        pass
