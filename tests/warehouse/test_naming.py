"""The name index made beside the file that it is moved into: whole, and with nothing left of its making."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.warehouse.world import learn, member, publish
from warehouse.manifests import SERVING
from warehouse.paths import Layout


def test_an_index_that_was_moved_is_whole(layout: Layout, tmp_path: Path) -> None:
    names = [f"Norsk Holding {place} Ærlig" for place in range(300)]
    learn(layout, "NO", 0, companies=[member("NO", place, name=name) for place, name in enumerate(names, 1)])
    publish(layout, "NO")
    assert {path.name for path in layout.release(1).iterdir()} >= {SERVING}
    assert not list(layout.release(1).glob("names*"))
    copy = tmp_path / "copy.sqlite"
    shutil.copyfile(layout.release(1) / SERVING, copy)
    with closing(sqlite3.connect(copy, isolation_level=None)) as connection:
        connection.execute("INSERT INTO names (names, rank) VALUES ('integrity-check', 1)")
        assert connection.execute("SELECT count(*) FROM names WHERE names MATCH 'hold*'").fetchone() == (300,)
        assert connection.execute("SELECT k FROM names_config").fetchall() == [("version",)]
        assert connection.execute("SELECT count(*) FROM words WHERE word = 'aerlig'").fetchone() == (1,)
        connection.execute("DELETE FROM names_data WHERE id > 10")
        with pytest.raises(sqlite3.DatabaseError):
            connection.execute("INSERT INTO names (names, rank) VALUES ('integrity-check', 1)")
