"""PSC records through every door they come. Numbers in names: docs/formats/uk.md 13."""

import json
from datetime import UTC, date, datetime

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from connectors.contract.dataset import NotApplicable, RecognisedFile, Scope, UnreadableFileError
from connectors.uk.psc import dataset as psc_dataset
from tests.connectors.uk.conftest import Bench
from tests.tables import check_cases

DATA = psc_dataset.DATASET
LINES = "psc-snapshot-2026-11-01_1of2.txt"
WHOLE = "persons-with-significant-control-snapshot-2026-11-01.txt"
INDIVIDUAL = "individual-person-with-significant-control"
CORPORATE = "corporate-entity-person-with-significant-control"
SHARES = "ownership-of-shares-25-to-50-percent"


@pytest.mark.parametrize(
    ("name", "day", "scope"),
    [
        ("persons-with-significant-control-snapshot-2026-09-18.zip", date(2026, 9, 18), Scope.FULL),
        ("psc_snapshot/psc-snapshot-2022-02-09_1of20.zip", date(2022, 2, 9), Scope.PART),
        ("psc_snapshot_line_individual_ceased.jsonl", None, Scope.PART),
        ("psc_snapshot_totals_2022-06-28.json", date(2022, 6, 28), Scope.PART),
    ],
)
def test_a_bulk_file_says_edition_and_scope_by_its_name(name, day, scope):
    at = datetime(day.year, day.month, day.day, tzinfo=UTC) if day else None
    assert DATA.recognise_file(name, b"PK\x03\x04") == RecognisedFile(at, scope)


@pytest.mark.parametrize(
    ("published", "at"),
    [
        ("2021-08-20T13:58:02", datetime(2021, 8, 20, 12, 58, 2, tzinfo=UTC)),
        ("2021-01-20T13:58:02", datetime(2021, 1, 20, 13, 58, 2, tzinfo=UTC)),
        ("2023-11-03T22:13:03.742120Z", datetime(2023, 11, 3, 22, 13, 3, 742120, tzinfo=UTC)),
        ("never", None),
    ],
)
def test_pitfall_07_a_stream_time_without_zone_is_london_time(make, published, at):
    item = make.event(make.record()["data"], "/company/01234567/persons-with-significant-control/individual/x")
    item["event"]["published_at"] = published
    assert DATA.recognise_file("streaming/psc.jsonl", make.lines(item)) == RecognisedFile(at, Scope.FEED)


@check_cases(
    "head",
    [
        {"company_number": "01234567", "links": {"self": "/company/01234567", "persons_with_significant_control": "x"}},
        {"resource_kind": "company-profile", "resource_uri": "/company/01234567", "data": {}, "event": {}},
        {"items": [], "links": {"self": "/company/01234567/officers"}},
        {"data": []},
        ["a"],
    ],
)
def test_other_answers_are_not_ours(head):
    assert isinstance(
        DATA.recognise_file("rest_api/real/answer.json", json.dumps(head, indent=1).encode()), NotApplicable
    )


def test_a_long_answer_is_known_by_the_part_that_is_seen(make):
    links = {"links": {"self": "/company/01234567/persons-with-significant-control"}}
    body = json.dumps({**links, "items": [make.record()["data"]] * 400}, indent=1).encode()
    assert isinstance(DATA.recognise_file("persons.json", body[: 1 << 16]), RecognisedFile)
    other = body.replace(b"/persons-with-significant-control", b"/officers")
    assert isinstance(DATA.recognise_file("officers.json", other[: 1 << 16]), NotApplicable)


def test_html_in_the_answers_folder_is_not_ours():
    assert isinstance(DATA.recognise_file("rest_api/real/error.json", b"<html></html>"), NotApplicable)


def test_one_record_through_every_door_is_one_row(make, bench):
    data = make.record()["data"]
    uri = data["links"]["self"]
    doors = {
        "snapshot": make.lines(make.record()),
        "item": json.dumps(data).encode(),
        "item over several lines": json.dumps(data, indent=2).encode(),
        "list": json.dumps({"items": [data], "start_index": 0, "active_count": None}).encode(),
        "stream": b"\n" + make.lines(make.event(data, uri)) + b"\n",
    }
    rows = {
        door: bench.read(DATA, body, LINES).rows["uk_psc"].drop("timepoint", "published_at").row(0)
        for door, body in doors.items()
    }
    assert len(set(map(str, rows.values()))) == 1, rows
    assert rows["stream"][:2] == ("01234567", "AbC-1_x")


def test_pitfall_07_blank_heartbeat_lines_are_nothing(make, bench):
    read = bench.read(
        DATA, b"\n\n" + make.lines(make.record()) + b"\n\n" + make.lines(make.record(identity="b")), LINES
    )
    assert len(read.rows["uk_psc"]) == 2
    assert read.rejects == []


def test_pitfall_08_the_number_of_an_event_comes_from_its_address(make, bench):
    missing_slash = "company/SC123456/persons-with-significant-control/individual/x"
    data = make.record(links=None)["data"]
    row = bench.read(DATA, make.lines(make.event(data, missing_slash)), LINES).rows["uk_psc"].row(0, named=True)
    assert (row["company_number"], row["id"], row["timepoint"]) == ("SC123456", "x", 7)


def test_a_short_number_is_padded(make, bench):
    assert bench.read(DATA, make.lines(make.record("1234567")), LINES).rows["uk_psc"]["company_number"].to_list() == [
        "01234567"
    ]


def test_an_empty_list_is_no_rows_and_no_reject(bench):
    body = {"items": [], "links": {"self": "/company/01234567/persons-with-significant-control"}}
    read = bench.read(DATA, json.dumps(body).encode(), LINES)
    assert (read.rows, read.rejects) == ({}, [])


def test_pitfall_04_trailer_statements_and_unknown_kinds_have_their_own_tables(make, bench):
    trailer = {"data": {"kind": "totals#persons-of-significant-control-snapshot", "statements_count": 1}}
    statement = make.record(
        kind="persons-with-significant-control-statement",
        statement="no-individual-or-entity-with-signficant-control",
        natures_of_control=None,
        name=None,
    )
    other = make.record(kind="space-person-with-significant-control", identity="z")
    read = bench.read(DATA, make.lines(make.record(), statement, other, trailer), LINES)
    assert {table: len(rows) for table, rows in read.rows.items()} == {
        "uk_psc": 1,
        "uk_psc_statements": 1,
        "uk_psc_others": 1,
        "uk_psc_totals": 1,
    }
    assert read.signalled("unknown_kind") == {"space-person-with-significant-control": (1, ("01234567",))}
    assert read.signalled("unknown_statement") == {}  # pitfall 9: the misspelt code is the code


def test_the_trailer_concerns_no_company(make, bench):
    body = make.lines(make.record(), {"data": {"kind": "totals#x", "generated_at": "2026-11-01T03:40:50Z"}})
    read = bench.upsert(DATA, body, LINES)
    assert read.rows["uk_psc_totals"]["generated_at"].to_list() == ["2026-11-01T03:40:50Z"]
    assert len(bench.normalise()["holdings"]) == 1


def test_a_whole_snapshot_short_of_its_trailer_is_unreadable(make, bench):
    kind = "totals#persons-of-significant-control-snapshot"
    body = make.lines(make.record(), {"data": {"kind": kind, "persons_of_significant_control_count": 2}})
    with pytest.raises(UnreadableFileError, match="1 of the 2 uk_psc records that its trailer counts"):
        bench.read(DATA, body, WHOLE, scope=Scope.FULL)
    assert len(bench.read(DATA, body, LINES).rows["uk_psc"]) == 1  # a part cannot be judged


TOTALS = "totals#persons-of-significant-control-snapshot"


@pytest.mark.parametrize(
    "ending",
    [
        b"",
        b'{"company_number":"00000002","data":{"kind":"indiv',
        b'{"data":{"kind":"totals#persons-of-signif',
        b'{"data":{"kind":"totals#persons-of-significant-control-snapshot"}}\n',
    ],
    ids=["no trailer", "a torn line", "a torn trailer", "a trailer that counts nothing"],
)
def test_a_whole_snapshot_that_was_torn_is_unreadable_and_ends_nobodys_control(make, bench, ending):
    """Between two lines a torn file looks sound: what it lacks must not read as ceased."""
    body = make.lines(make.record(), make.record("00000002", "b")) + ending
    with pytest.raises(UnreadableFileError, match="cut off"):
        bench.read(DATA, body, WHOLE, scope=Scope.FULL)
    assert len(bench.read(DATA, body, LINES).rows["uk_psc"]) == 2


def test_a_record_of_a_new_kind_is_one_of_those_the_trailer_promises(make, bench):
    """New kinds came without notice in 2022: they do not make a snapshot unreadable, and they are no excuse."""
    strange = make.record("00000002", "b", kind="space-person-with-significant-control")

    def read(promised):
        totals = {"data": {"kind": TOTALS, "persons_of_significant_control_count": promised}}
        return bench.read(DATA, make.lines(make.record(), strange, totals), WHOLE, scope=Scope.FULL)

    assert len(read(2).rows["uk_psc_others"]) == 1
    with pytest.raises(UnreadableFileError, match="1 of the 3 uk_psc records that its trailer counts"):
        read(3)


def test_one_broken_record_of_a_whole_snapshot_is_not_taken_for_ceased(make, bench):
    totals = {"data": {"kind": TOTALS, "persons_of_significant_control_count": 2}}
    body = make.lines(make.record()) + b'{"company_number": "0123\n' + make.lines(totals)
    with pytest.raises(UnreadableFileError, match="1 of the 2 uk_psc records"):
        bench.read(DATA, body, WHOLE, scope=Scope.FULL)


def test_a_record_without_a_key_is_a_reject(make, bench):
    read = bench.read(DATA, make.lines(make.record(), make.record(links=None), make.record("no number!")), LINES)
    assert len(read.rows["uk_psc"]) == 1
    reasons = [reason for _, reason, _ in read.rejects]
    assert reasons == ["no links.self: the record has no key", "no company number: 'no number!'"]


def test_a_line_that_is_no_json_is_a_reject(make, bench):
    read = bench.read(
        DATA, make.lines(make.record()) + b'{"company_number": "0123\n' + make.lines(make.record(identity="b")), LINES
    )
    assert len(read.rows["uk_psc"]) == 2
    assert len(read.rejects) == 1


def test_unknown_keys_are_counted(make, bench):
    read = bench.read(DATA, make.lines(make.record(favourite_colour="blue")), LINES)
    assert [key for key in read.signalled("unknown_key") if "favourite_colour" in key]
    assert len(read.rows["uk_psc"]) == 1


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"<!DOCTYPE html><html>busy</html>", "expected JSON lines or a zip of them, found html"),
        (b"not json at all", "expected JSON lines or a zip of them, found text"),
        (b'{"company_number": "01234567", "data": {', "not JSON"),
    ],
)
def test_what_is_no_json_is_unreadable_and_says_why(bench, body, said):
    with pytest.raises(UnreadableFileError, match=said):
        bench.read(DATA, body, LINES)


def test_a_zip_is_its_lines(make, bench):
    assert (
        len(bench.read(DATA, make.zipped(make.lines(make.record(), make.record(identity="b"))), LINES).rows["uk_psc"])
        == 2
    )


def test_a_zip_that_nobody_redacted_is_read_too(make, bench):
    piece = bench.piece(DATA, make.zipped(make.lines(make.record())), "x.zip")
    rows = [
        batch.rows for part in DATA.split_members(piece) for batch in DATA.read_batches(part) if batch.table == "uk_psc"
    ]
    assert pl.concat(rows).height == 1


@pytest.mark.parametrize("cut", [-4, -30, 200, 20])
def test_a_truncated_zip_is_unreadable(make, bench, cut):
    body = make.zipped(make.lines(*(make.record(identity=str(n), etag=str(n * 7919)) for n in range(50))))
    with pytest.raises(UnreadableFileError):
        bench.read(DATA, body[:cut], LINES)


@given(cut=st.integers(0, 900), at=st.integers(0, 900), byte=st.integers(0, 255), packed=st.booleans())
@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_damaged_bytes_are_rows_rejects_or_unreadable_and_nothing_else(make, bench, cut, at, byte, packed):
    body = bytearray(
        make.lines(make.record(address={"premises": "1"}), make.record(identity="b", date_of_birth={"month": 1}))
    )
    body = bytearray(make.zipped(bytes(body))) if packed else body
    if at < len(body):
        body[at] = byte
    try:
        bench.read(DATA, bytes(body[:cut]), LINES)
    except UnreadableFileError:
        return


@given(
    head=st.binary(max_size=80)
    | st.recursive(st.none() | st.text(max_size=5), st.lists).map(json.dumps).map(str.encode)
)
def test_any_head_is_recognised_or_not_ours(head):
    for name in ("rest_api/real/x.json", "streaming/x.jsonl", "psc_snapshot/2022-99-99.json"):
        assert isinstance(DATA.recognise_file(name, head), RecognisedFile | NotApplicable)


def test_an_event_of_an_unknown_type_is_a_reject(make, bench):
    uri = "/company/01234567/persons-with-significant-control/individual/AbC-1_x"
    body = make.lines(make.event(make.record()["data"], uri, kind="removed"))
    read = bench.read(psc_dataset.DATASET, body, "streaming/psc.jsonl")
    assert (read.rows, len(read.rejects)) == ({}, 1)
    assert "unknown type 'removed'" in read.rejects[0][1]


@check_cases(
    ("second", "is_told"),
    [
        ({"etag": "1" * 40, "natures_of_control": ["ownership-of-shares-75-to-100-percent"]}, True),
        ({"natures_of_control": ["ownership-of-shares-75-to-100-percent"]}, True),
        ({}, False),  # the same line twice
        ({"identity": "Other"}, False),
    ],
)
def test_two_lines_of_one_record_that_differ_are_signalled(make, second, is_told):
    read = Bench().upsert(DATA, make.lines(make.record(), make.record(**second)), LINES)
    assert read.signalled("repeated_record") == ({"uk_psc": (1, ("01234567",))} if is_told else {})


def test_two_events_of_one_record_are_no_repetition(make):
    record = make.record()["data"]
    events = [make.event(record | {"etag": str(time) * 40}, record["links"]["self"], timepoint=time) for time in (7, 8)]
    assert Bench().upsert(DATA, make.lines(*events), "streaming/psc.jsonl").signals == []
