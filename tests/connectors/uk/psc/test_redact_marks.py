"""A keyed mark takes the place of month and year of birth, the same from every channel."""

import io
import json
import zipfile
from typing import Any

from connectors.kit.redact.person_marks import PersonMarker
from connectors.uk.psc.redact import redact
from tests.connectors.uk.conftest import PscBodies
from tests.tables import check_cases

MARKER = PersonMarker(b"k" * 32)
NUMBER = "01234567"
BORN = {"month": 3, "year": 1948}
MARK = MARKER.mark(NUMBER, 1948, 3)


def kept(body: bytes) -> bytes:
    return redact(io.BytesIO(body), MARKER).read()


def snapshot_line(**data: Any) -> bytes:
    """A line as the registry writes it: without blanks, the birth before other members."""
    record = PscBodies.record(NUMBER, **data)
    data = {key: record["data"][key] for key in sorted(record["data"])}
    return json.dumps({**record, "data": data}, separators=(",", ":")).encode() + b"\n"


PLAIN = snapshot_line(date_of_birth=BORN)
ITEM = json.loads(PLAIN)["data"]
CHANNELS = {
    "a line of a snapshot": PLAIN,
    "a line with blanks": json.dumps(json.loads(PLAIN)).encode() + b"\n",
    "the birth at the end": json.dumps({"company_number": NUMBER, "data": {**ITEM, "date_of_birth": BORN}}).encode(),
    "digits as text": snapshot_line(date_of_birth={"month": "03", "year": "1948"}),
    "an event": PscBodies.lines(PscBodies.event(ITEM, ITEM["links"]["self"])),
    "an event whose record has no address": PscBodies.lines(
        PscBodies.event({"kind": ITEM["kind"], "date_of_birth": BORN}, ITEM["links"]["self"])
    ),
    "a list": json.dumps({"items": [ITEM], "total_results": 1}).encode(),
    "a record over many lines": json.dumps(ITEM, indent=2).encode(),
    "a number without its zero": json.dumps({"company_number": "1234567", "data": ITEM}).encode() + b"\n",
}


@check_cases("channel", CHANNELS)
def test_every_channel_gives_the_same_mark_and_no_birth(channel: str) -> None:
    found = kept(CHANNELS[channel])
    assert found.count(f'"person_mark":"{MARK}"'.encode()) == 1
    assert b"birth" not in found
    assert b"1948" not in found
    assert kept(found) == found, "a body that is redacted again stays as it is"
    assert redact(io.BytesIO(found)).read() == found


def test_a_line_of_a_snapshot_keeps_all_other_bytes() -> None:
    assert kept(PLAIN) == PLAIN.replace(
        b'"date_of_birth":{"month":3,"year":1948}', b'"person_mark":"%b"' % MARK.encode()
    )


def test_two_persons_of_one_name_have_two_marks_and_one_person_one_in_every_record() -> None:
    lines = [
        snapshot_line(identity=identity, date_of_birth=born)
        for identity, born in [("a", BORN), ("b", {"month": 9, "year": 1979}), ("c", BORN)]
    ]
    first, second, third = (json.loads(line)["data"]["person_mark"] for line in kept(b"".join(lines)).splitlines())
    assert first == third != second


@check_cases(
    "born",
    [
        None,
        {"year": 1948},
        {"month": 3},
        {"month": 13, "year": 1948},
        "1948-03",
        [3, 1948],
        {"month": None, "year": 1948},
    ],
)
def test_a_birth_that_is_incomplete_or_impossible_leaves_no_mark_and_is_removed(born: Any) -> None:
    record = {"company_number": NUMBER, "data": {**ITEM, "date_of_birth": born}}
    for text in (json.dumps(record), json.dumps(record, separators=(",", ":")), json.dumps(record, indent=1)):
        found = kept(text.encode() + b"\n")
        assert b"person_mark" not in found
        assert b"birth" not in found
        assert b"1948" not in found


def test_a_birth_without_a_company_leaves_no_mark() -> None:
    assert json.loads(kept(json.dumps({"name": "A", "date_of_birth": BORN}).encode() + b"\n")) == {"name": "A"}


def test_lines_of_a_zip_are_marked_too() -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("psc.txt", PLAIN * 3)
    assert kept(file.getvalue()) == kept(PLAIN) * 3


def test_without_a_marker_there_is_no_mark() -> None:
    assert b"person_mark" not in redact(io.BytesIO(PLAIN)).read()
