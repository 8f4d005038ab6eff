"""JSON records: unknown keys counted, wrong types rejected, streams cut where records end."""

import gzip
import io
import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from connectors.contract.dataset import ArchiveMember, UnreadableFileError
from connectors.kit.json import chunks, structs
from connectors.kit.json.structs import JsonRecord, RecordError
from connectors.kit.staging import SignalCounter
from tests.connectors.kit.conftest import made
from tests.tables import check_cases

Make = Callable[..., ArchiveMember]


class Form(msgspec.Struct, forbid_unknown_fields=True):
    code: str | None = None


class Entity(msgspec.Struct, forbid_unknown_fields=True):
    nr: str
    form: Form | None = None
    names: list[Form] = []
    staff: int | None = None
    left: msgspec.Raw = msgspec.Raw()
    other: dict[str, Form] | None = None


def decoded(
    body: bytes, block: int = 1 << 20
) -> tuple[list[Entity], list[tuple], dict[tuple[str, str], tuple[int, tuple]]]:
    tally = SignalCounter("no.enheter")
    records: list[Entity] = []
    rejects: list[tuple] = []
    for chunk in structs.decode_chunks(made(body, "x.json"), Entity, tally, key="nr", block=block):
        records += chunk.records
        rejects += chunk.rejects.rows()
    return records, rejects, {(s.code, s.subject): (s.count, s.examples) for s in tally.drain()}


def entities(count: int) -> list[dict[str, Any]]:
    return [{"nr": str(n), "form": {"code": '},{"nr":'}, "names": [{"code": "A"}, {"code": "B"}]} for n in range(count)]


@check_cases(
    "write",
    [
        json.dumps,
        lambda rows: json.dumps(rows, indent=2),
        lambda rows: json.dumps(rows, separators=(",", ":")),
        lambda rows: "\n".join(map(json.dumps, rows)),
        lambda rows: "\ufeff" + "\r\n".join(map(json.dumps, rows)) + "\r\n\r\n",
    ],
)
@check_cases("block", [90, 1000, 1 << 20])
def test_arrays_and_lines_in_any_spelling(write: Callable[[list], str], block: int):
    records, rejects, signals = decoded(write(entities(40)).encode(), block)
    assert [record.nr for record in records] == [str(n) for n in range(40)]
    assert rejects == []
    assert signals == {}


def test_one_object_alone():
    for indent in (None, 2):
        records, _, _ = decoded(json.dumps(entities(1)[0], indent=indent).encode())
        assert [record.nr for record in records] == ["0"]


def test_records_that_begin_with_different_keys_are_scanned_for():
    rows = [{"nr": "1", "staff": 5}, {"staff": 6, "nr": "2"}, {"names": [{"code": "x,"}], "nr": "3"}] * 20
    records, _, _ = decoded(json.dumps(rows).encode(), block=60)
    assert len(records) == 60


@pytest.mark.parametrize("text", ["0]", "}", '\\\\"}', "a}]"])
def test_a_bracket_in_a_string_that_a_block_cuts_off_ends_no_record(text: str):
    rows = [{"nr": "1", "names": [{"code": text}]}, {"nr": [None], "form": text}]
    body = json.dumps(rows).encode()
    for block in range(3, len(body)):
        records, rejects, _ = decoded(body, block)
        assert [record.nr for record in records] == ["1"]
        assert len(rejects) == 1


def test_census_and_rejects():
    rows = entities(4)
    rows[1]["form"]["since"] = 1
    rows[1]["names"][0]["x"] = 2
    rows[2]["nr"] = 5
    rows[3]["other"] = {"any": {"code": "A", "y": 1}}
    for body in (json.dumps(rows), "\n".join(map(json.dumps, rows))):
        records, rejects, signals = decoded(body.encode())
        assert [record.nr for record in records] == ["0", "1", "3"]
        assert [reject[:2] for reject in rejects] == [("5", "Expected `str`, got `int` - at `$.nr`")]
        assert signals == {
            ("unknown_key", "form.since"): (1, ("1",)),
            ("unknown_key", "names[].x"): (1, ("1",)),
            ("unknown_key", "other.*.y"): (1, ("3",)),
        }


def test_a_broken_line_is_a_reject():
    records, rejects, _ = decoded(b'{"nr":"1"}\n{"nr":\n[]\n{"nr":"3"}\n')
    assert [record.nr for record in records] == ["1", "3"]
    assert [reject[0] for reject in rejects] == ["record 2", "record 3"]


@check_cases(
    "body",
    [
        b"",
        b"  ",
        b"<html>",
        b"[",
        b'[{"nr":"1"},',
        b'[{"nr":"1"}',
        b'[{"nr":"1"}}]',
        b"[" * 50_000,
        b"Too many requests",
    ],
)
def test_what_is_no_json_is_unreadable(body: bytes):
    with pytest.raises(UnreadableFileError, match=r"no\.enheter: x\.json"):
        decoded(body)


def test_gzip_and_its_damage():
    packed = gzip.compress(json.dumps(entities(2000)).encode())
    assert len(decoded(packed)[0]) == 2000
    with pytest.raises(UnreadableFileError, match="truncated or damaged"):
        decoded(packed[:-30])


def test_columns():
    records = [Entity("1", Form("AS"), staff=5), Entity("2")]
    assert structs.struct_columns(records, {"nr": "nr", "form.code": "form.code"}) == {
        "nr": ["1", "2"],
        "form.code": ["AS", None],
    }


def test_a_record_too_large(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(chunks, "LARGEST", 1000)
    with pytest.raises(chunks.NotJsonError, match="a record of more than 1000"):
        list(chunks.read_array(io.BytesIO(b'[{"a": "' + b"x" * 5000), chunks.split_records, 100))
    with pytest.raises(chunks.NotJsonError, match="a line of more than 1000"):
        list(chunks.read_line_blocks(io.BytesIO(b'{"a": "' + b"x" * 5000), 100))


def taken(data: object) -> tuple[JsonRecord, SignalCounter]:
    tally = SignalCounter("no.enheter")
    return JsonRecord(data, tally, "923609016"), tally


def test_record_pops_and_audits():
    record, tally = taken(
        {
            "a": " x ",
            "n": 12.0,
            "b": True,
            "l": ["x", None, " "],
            "c": {"d": "e", "f": 1},
            "k": [{"g": 1}],
            "q": 1,
            "z": None,
        }
    )
    assert record.text("a") == " x "
    assert record.integer("n") == 12
    assert record.boolean("b") is True
    assert record.texts("l") == ["x"]
    assert record.child("c").need("d") == "e"
    assert [child.take("g") for child in record.children("k")] == [1]
    assert record.child("absent").text("x") is None
    assert record.children("absent") == []
    record.ignore("q")
    record.close()
    assert {(s.code, s.subject): s.examples for s in tally.drain()} == {
        ("unknown_key", "c.f"): ("923609016",),
        ("unknown_key", "z"): ("923609016",),
    }


@check_cases(
    ("method", "value"),
    [
        ("text", 1),
        ("text", True),
        ("integer", "1"),
        ("integer", 1.5),
        ("integer", True),
        ("integer", 2**63),
        ("integer", -(2**63) - 1),
        ("integer", 1e30),
        ("number", "1"),
        ("boolean", 0),
        ("boolean", "true"),
        ("texts", "x"),
        ("texts", [1]),
        ("child", []),
        ("children", {}),
        ("children", [1]),
        ("need", None),
        ("need", " "),
    ],
)
def test_a_record_coerces_nothing(method: str, value: object):
    record, _ = taken({"key": value})
    with pytest.raises(RecordError, match="key"):
        getattr(record, method)("key")


def test_only_an_object_is_a_record():
    with pytest.raises(RecordError, match="expected an object"):
        taken(["x"])


@pytest.mark.sources
def test_genuine_lines(sources: Path):
    path = sources / "uk" / "streaming" / "persons-with-significant-control.jsonl"
    with path.open("rb") as stream:
        cut = b"".join(chunks.read_line_blocks(stream, 500))
    assert cut == path.read_bytes()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda below: (
        st.lists(below, max_size=3) | st.dictionaries(st.sampled_from(["nr", "form", "names", "x"]), below, max_size=3)
    ),
    max_leaves=8,
)


@pytest.mark.slow
@settings(max_examples=150)
@example(rows=[{"nr": [None], "form": "0]"}], block=3, indent=None)
@given(
    rows=st.lists(
        st.dictionaries(st.sampled_from(["nr", "form", "names", "left", "x"]), JSON, min_size=1, max_size=3), max_size=8
    ),
    block=st.integers(3, 120),
    indent=st.sampled_from([None, 1]),
)
def test_every_record_is_given_or_rejected(rows: list[dict[str, Any]], block: int, indent: int | None):
    records, rejects, signals = decoded(
        json.dumps(rows, indent=indent, ensure_ascii=False).encode("utf-8", "surrogatepass"), block
    )
    assert len(records) + len(rejects) == len(rows)
    unknown = sum("x" in row for row in rows if _is_text(row))
    assert signals.get(("unknown_key", "x"), (0, ()))[0] == unknown


def _is_text(row: object) -> bool:
    with suppress(UnicodeEncodeError):
        return bool(json.dumps(row, ensure_ascii=False).encode())
    return False


def test_what_is_left_as_it_is_written_costs_its_record_nothing():
    rows: list[dict[str, Any]] = [{"nr": "1", "left": {"a": [1]}}, {"nr": "2", "left": None}, {"nr": "3"}]
    assert [record.nr for record in decoded(json.dumps(rows).encode())[0]] == ["1", "2", "3"]
    rows[1]["x"] = 1
    for body in (json.dumps(rows), "\n".join(map(json.dumps, rows))):
        records, rejects, signals = decoded(body.encode())
        assert ([record.nr for record in records], rejects) == (["1", "2", "3"], [])
        assert signals == {("unknown_key", "x"): (1, ("2",))}


@settings(max_examples=200)
@given(
    start=st.sampled_from([b"", b"[", b"{", b'[{"nr":"1"},', b'{"nr":"1"}\n']),
    body=st.binary(max_size=80) | st.text(st.sampled_from('[]{}",:\\n1 '), max_size=60).map(str.encode),
    block=st.integers(3, 100),
)
def test_nothing_but_unreadable_is_raised(start: bytes, body: bytes, block: int):
    with suppress(UnreadableFileError):
        decoded(start + body, block)
