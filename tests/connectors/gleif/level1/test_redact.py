"""Persons leave LEI records before anything is kept, wherever in a record they stand, and nobody else does."""

from __future__ import annotations

import io
import json

import pytest

from connectors.contract.dataset import UnreadableFileError
from connectors.gleif.level1 import parse
from connectors.gleif.level1 import schema as level1_schema
from tests.connectors.gleif.gleif_bodies import NORWEGIAN, answer, cdf, golden, lei, read, record, rows, table
from tests.tables import check_cases

EDITIONS = {"answer": answer, "golden": golden, "cdf": cdf}
ANNA = "Anna Andersson"
PERSONAL = "800101-1239"
PERSON = record(lei("P"), "RA000544", PERSONAL, law="SE", name=ANNA)
COMPANY = record(lei("P"), "RA000544", "5564333440", law="SE")
PERSONS_ENTITY = cdf(PERSON)[cdf(PERSON).index(b"<lei:Entity>") : cdf(PERSON).index(b"<lei:Registration>")]


def kept(body: bytes) -> bytes:
    return parse.redact_persons(io.BytesIO(body)).read()


@check_cases("made", EDITIONS.values(), ids=EDITIONS)
@check_cases(
    "person",
    [
        record(lei("P"), "RA000544", PERSONAL, law="SE", name=ANNA, category="SOLE_PROPRIETOR"),
        record(lei("P"), "RA000544", PERSONAL, law="SE", name=ANNA),
        record(lei("P"), "RA000296", "HRA 1", law="DE", name=ANNA, category="SOLE_PROPRIETOR"),
    ],
)
def test_persons_leave_at_the_door_and_nobody_else_does(made, person) -> None:
    others = [record(lei("A"), "RA000544", "5564333440", law="SE"), record(NORWEGIAN, "RA000472", "997315898")]
    left = kept(made(others[0], person, others[1]))
    assert PERSONAL.encode() not in left
    assert ANNA.encode() not in left
    assert [row["lei"] for row in rows("SE", left)] == [lei("A")]
    assert [row["lei"] for row in rows("NO", left)] == [NORWEGIAN]
    assert [row["lei"] for row in rows("SE", made(person))] == []


@check_cases("made", EDITIONS.values(), ids=EDITIONS)
@check_cases(
    "person",
    [
        record(lei("P"), "RA000544", PERSONAL, law="SE", name=ANNA),
        record(lei("P"), "RA000296", "HRA 1", law="DE", name=ANNA, category="SOLE_PROPRIETOR"),
        record(lei("P"), "RA000296", "HRA 1", law="DE", name=ANNA),  # nothing says that this is a company
    ],
)
def test_a_record_that_is_misspelled_is_not_kept(made, person) -> None:
    misspelled = made(person).replace(b'ntity"', b'ntitty"').replace(b"Entity>", b"Entitty>")
    assert misspelled != made(person)
    left = kept(misspelled)
    assert PERSONAL.encode() not in left
    assert ANNA.encode() not in left


@check_cases(
    "body",
    [
        answer(PERSON)[:-1] + b", " + answer(COMPANY)[1:],
        answer(COMPANY).replace(b'{"meta"', b'{"included": [' + json.dumps(PERSON).encode() + b'], "meta"'),
        answer(COMPANY).replace(b'"entity"', b'"entity": %b, "entity"' % json.dumps(PERSON).encode()),
        golden(COMPANY).replace(b'"Entity"', b'"Entity": %b, "Entity"' % golden(PERSON)),
        cdf(COMPANY).replace(b"</lei:Entity>", b"</lei:Entity>" + PERSONS_ENTITY),
        table(PERSON).replace(b'1239"', b'1239g"'),
        cdf(PERSON).replace(b"LEIRecord ", b"LEIRecrd ").replace(b"LEIRecord>", b"LEIRecrd>"),
    ],
    ids=[
        "data twice",
        "beside data",
        "member twice",
        "golden member twice",
        "element twice",
        "letter behind",
        "element misspelled",
    ],
)
def test_what_no_reader_sees_is_not_kept_either(body: bytes) -> None:
    left = kept(body)
    assert PERSONAL.encode() in body
    assert PERSONAL.encode() not in left


def test_an_lei_of_digits_is_no_number() -> None:
    body = table(record("30030019121212121247", "RA000544", "5564333440", law="SE"))
    assert kept(body) == body


def test_an_answer_without_persons_stays_as_it_was_sent() -> None:
    body = json.dumps(json.loads(answer(record(NORWEGIAN, "RA000472", "997315898"))), indent=3).encode()
    assert kept(body) == body


def test_only_persons_leave_an_empty_golden_copy() -> None:
    person = record(lei("P"), "RA000544", PERSONAL, law="SE", category="SOLE_PROPRIETOR")
    left = kept(golden(person))
    assert json.loads(left) == {"records": []}


@pytest.mark.parametrize("made", EDITIONS.values(), ids=EDITIONS)
def test_a_body_that_breaks_off_is_unreadable_and_shows_nobody(made) -> None:
    person = record(lei("P"), "RA000544", PERSONAL, law="SE", name=ANNA, category="SOLE_PROPRIETOR")
    whole = made(record(NORWEGIAN, "RA000472", "997315898"), person)
    cut = whole[: whole.index(PERSONAL.encode()) + 20]
    left = kept(cut)
    assert PERSONAL.encode() not in left
    assert ANNA.encode() not in left
    with pytest.raises(UnreadableFileError):
        read("SE", left)


def test_persons_leave_the_table_and_nobody_else_does() -> None:
    person = record(lei("P"), "RA000544", "800101-1239", law="SE", name=f"{ANNA}\nEnskild firma")
    sole = record(lei("Q"), "RA000296", "HRA 1", law="DE", name=ANNA, category=level1_schema.SOLE)
    others = [record(lei("A"), "RA000544", "5564333440", law="SE"), record(NORWEGIAN, "RA000472", "997315898")]
    found = kept(table(others[0], person, sole, others[1]))
    assert ANNA.encode() not in found
    assert found == table(*others)
    assert rows("SE", table(person)) == []


def test_a_line_with_a_cell_too_many_cannot_tell_who_it_is() -> None:
    line = table(COMPANY).removeprefix(table())
    assert kept(table() + line) == table() + line
    assert kept(table() + b'"",' + line) == table()


def test_a_record_among_the_names_of_columns_is_not_kept() -> None:
    joined = table().rstrip() + b"," + table(PERSON).removeprefix(table())
    assert PERSONAL.encode() in joined
    assert PERSONAL.encode() not in kept(joined)
    with pytest.raises(UnreadableFileError):
        read("SE", kept(joined))
