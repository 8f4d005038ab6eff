"""Erased subjects in the control plane: events blank, what receivers answered gone, everything else as it was."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from api.database.migrate import prepare_database
from api.database.models.webhooks import Attempt, Delivery, MatchedEvent
from api.webhooks import erasure
from tests.api.fixtures import delivery_log
from warehouse.erasure.event_redaction import EventRedactor

COMPANY = "firm:SE:5599999991"
HOLDER = "own_7h2k9m4p1q8s3t6v0w5x2y7z4b"
PERSON, NAME = "Åsa Öberg", "Öbergs Måleri"


@pytest.fixture
def log(control_url: str) -> Iterator[Any]:
    database = prepare_database(control_url)
    yield delivery_log.Log(database)
    database.close()


def data(company: str, **more: Any) -> dict[str, Any]:
    _, market, number = company.split(":")
    return {"company_id": company, "org_nr": number, "name": NAME, "country": market, "source": {"url": None}} | more


def change(holder: str) -> dict[str, Any]:
    return {"holder_id": holder, "holder_name": PERSON, "holder_company_id": None, "current_pct": 50}


def loaded(log: Any) -> dict[str, int]:
    subscription = log.subscription(log.account())
    told = {
        "own": log.event("filing.added", **data(COMPANY, filing={"revenue": 12345678, "version": 1})),
        "held": log.event("ownership.changed", **data("firm:SE:5560000001", change=change(HOLDER))),
        "other": log.event("ownership.changed", **data("firm:SE:5560000001", change=change("own_other"))),
    }
    for sequence in told.values():
        delivery = log.deliver(subscription, sequence, "succeeded")
        log.attempt(delivery, response_body=f"thanks, {NAME} {PERSON}")
    return told


def test_events_of_subjects_are_blank_and_those_of_others_untouched(log: Any) -> None:
    told = loaded(log)
    before = {row.sequence: bytes(row.data) for row in log.rows(MatchedEvent)}
    with log.database.writing() as session:
        session.execute(text("UPDATE webhook_events SET company_id = 'firm:SE:5560000001' WHERE sequence > 1"))
    blanking = EventRedactor(frozenset({COMPANY}), frozenset({HOLDER}))
    assert erasure.erase_events(log.database, blanking.redact_event) == 2
    after = {row.sequence: json.loads(row.data) for row in log.rows(MatchedEvent)}
    assert after[told["own"]]["name"] == "5599999991"
    assert after[told["own"]]["filing"] == {"revenue": None, "version": 1}
    assert after[told["held"]]["change"] == change(HOLDER) | {"holder_name": None}
    assert bytes(log.rows(MatchedEvent, MatchedEvent.sequence == told["other"])[0].data) == before[told["other"]]
    of = {delivery.delivery_id: delivery.sequence for delivery in log.rows(Delivery)}
    answers = {of[attempt.delivery_id]: attempt.response_body for attempt in log.rows(Attempt)}
    assert [answers[told[name]] for name in ("own", "held")] == [None, None]
    assert answers[told["other"]]
    assert erasure.erase_events(log.database, blanking.redact_event) == 0


def test_what_filters_read_of_an_erased_company_goes_and_that_of_others_stays(log: Any) -> None:
    told = loaded(log)
    facts = "industry_code = '62010', industry_scheme = 'SNI2007', is_listed = false, share_change = 1"
    with log.database.writing() as session:
        session.execute(text(f"UPDATE webhook_events SET {facts}"))
    erasure.erase_events(log.database, EventRedactor(frozenset({COMPANY}), frozenset({HOLDER})).redact_event)
    left = {
        row.sequence: (row.industry_code, row.industry_scheme, row.is_listed, row.share_change)
        for row in log.rows(MatchedEvent)
    }
    assert left == {
        told["own"]: (None, None, None, None),
        told["held"]: ("62010", "SNI2007", False, None),
        told["other"]: ("62010", "SNI2007", False, 1),
    }


def test_erase_events_of_a_type_that_names_a_holder_since_lately_blanks_it(log: Any) -> None:
    told = log.event("status.changed", **data("firm:SE:5560000001", officer={"holder_id": HOLDER, "name": PERSON}))
    blanking = EventRedactor(frozenset(), frozenset({HOLDER}))
    assert erasure.erase_events(log.database, blanking.redact_event) == 1
    (row,) = log.rows(MatchedEvent, MatchedEvent.sequence == told)
    assert PERSON not in row.data.decode()


def test_columns_of_an_attempt_that_are_not_listed_can_be_blank() -> None:
    columns = {column.name: column for column in Attempt.__table__.columns}
    assert columns.keys() >= erasure.KEPT_OF_ATTEMPT
    erased = columns.keys() - erasure.KEPT_OF_ATTEMPT
    assert erased == {"error_detail", "response_headers", "response_body"}
    assert all(columns[name].nullable for name in erased)


def test_no_page_of_the_file_keeps_it(log: Any) -> None:
    if log.database.engine.dialect.name != "sqlite":
        pytest.skip("PostgreSQL's files are the server's; its tables are written anew by VACUUM FULL")
    subscription = log.subscription(log.account())
    for _ in range(200):
        log.attempt(log.deliver(subscription, log.event(**data(COMPANY)), "succeeded"), response_body=NAME)
    blanking = EventRedactor(frozenset({COMPANY}), frozenset())
    assert erasure.erase_events(log.database, blanking.redact_event) == 200
    path = Path(str(log.database.url.database))
    for file in path.parent.iterdir():
        body = file.read_bytes()
        assert not any(NAME.encode(encoding) in body for encoding in ("utf-8", "latin-1")), file
