"""Retractions listed next to the releases: newest first, without keys of records."""

from pathlib import Path

from tests.warehouse.helpers import day
from warehouse.reader.reader import ReleaseReader
from warehouse.release import retraction_log
from warehouse.schema.retractions import BatchRetraction
from warehouse.storage.layout import Layout


def test_retractions_are_listed_newest_first_without_keys_of_records(tmp_path: Path) -> None:
    layout = Layout(tmp_path)
    reader = ReleaseReader(layout)
    assert reader.read_retractions() == []
    first = BatchRetraction(("b1",), ("no.x",), "b9", day(1), "anna", "wrong file")
    second = BatchRetraction(("b2",), ("no.y",), "b9", day(2), "ola", "dated ahead", ("no.x/b3",), (("t", ("1", "2")),))
    assert BatchRetraction.parse(second.as_json()) == second
    assert first.as_json().keys() == {"retracted", "datasets", "newest", "at", "by", "reason"}, "as earlier versions"
    retraction_log.write_retractions(layout, [first, second])
    listed = reader.read_retractions()
    assert [(one.batches, one.at, one.by, one.reason) for one in listed] == [
        (("b2",), day(2), "ola", "dated ahead"),
        (("b1",), day(1), "anna", "wrong file"),
    ]
    assert [(one.pending, one.reopened) for one in listed] == [((), ()), ((), ())]
    reader.close()
