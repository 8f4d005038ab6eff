"""Records that a register issues again: by their whole names, whatever blanks and case they are written with.

And records that it has twice: entries of one holder that are in force at one time.
"""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import polars as pl

from pipelines.transforms.holders.renewals import (
    PERSON_MARK,
    companies_with_renewals,
    companies_with_repeated_entries,
    renewal_pairs,
    repeated_entries,
)
from pipelines.transforms.holders.resolve import with_holder_id
from tests.pipelines.eventful import told, world
from tests.pipelines.frames import COMPANY, DAY_1, frame, holding
from tests.tables import check_cases
from warehouse.schema.tables import HOLDINGS, OWNERS

END = date(2025, 12, 24)


@check_cases(
    ("name", "days", "is_renewed"),
    [
        ("Åsa Ägare", 0, True),
        ("Åsa Ägare", 1, True),
        ("Åsa Ägare", 2, False),
        ("ÅSA ÄGARE", 0, True),
        ("Åsa  Ägare ", 0, True),
        ("Åsa\u00a0Ägare", 0, True),
        ("Asa Agare", 0, False),
        ("Åsa Ägare Groß", 0, False),
    ],
)
def test_companies_with_renewals_are_those_with_pairs(name: str, days: int, is_renewed: bool) -> None:
    records = frame(
        HOLDINGS,
        holding("p1", 25, 50, ended_on=END),
        holding("p2", 25, 50, holder_name=name, valid_from=END + timedelta(days=days)),
        holding("p3", 25, 50, holder_name=None, valid_from=END),
    )
    assert companies_with_renewals(records).to_list() == [COMPANY] * is_renewed
    assert [(ended["native_id"], begun["native_id"]) for ended, begun in renewal_pairs(records.to_dicts())] == [
        ("p1", "p2")
    ] * is_renewed


@check_cases(("first", "second"), [("Åsa  Ägare", "Åsa Ägare"), ("Anna Groß", "ANNA GROSS")])
def test_renewal_under_another_spelling_of_blanks_and_case_is_one_line_and_no_event(first: str, second: str) -> None:
    before = world(holdings=[holding("p1", 25, 50, holder_name=first)], instant=DAY_1)
    renewed = [
        holding("p1", 25, 50, holder_name=first, ended_on=END),
        holding("p2", 25, 50, holder_name=second, valid_from=END),
    ]
    after = world(holdings=renewed, before=before)
    assert after["owners"]["holder_id"].to_list() == before["owners"]["holder_id"].to_list()
    assert told(before, after) == []


NUMBER = "firm:UK:01234567"
ENTITY: dict[str, Any] = {"holder_type": "company", "holder_name": "Holdco Ltd", "holder_company_id": NUMBER}


def marked(*rows: dict[str, Any]) -> pl.DataFrame:
    """Records, each with the person mark that its row gives."""
    marks = [row.pop(PERSON_MARK, None) for row in rows]
    return frame(HOLDINGS, *rows).with_columns(pl.Series(PERSON_MARK, marks, dtype=pl.String))


@check_cases(
    ("first", "second", "is_repeated"),
    [
        ({PERSON_MARK: "k-1"}, {PERSON_MARK: "k-1"}, True),
        ({PERSON_MARK: "k-1"}, {PERSON_MARK: "k-1", "valid_from": date(2024, 1, 1)}, True),
        ({PERSON_MARK: "k-1", "ended_on": END}, {PERSON_MARK: "k-1", "valid_from": date(2024, 1, 1)}, True),
        ({PERSON_MARK: "k-1"}, {PERSON_MARK: "k-1", "valid_from": None}, True),
        ({PERSON_MARK: "k-1"}, {PERSON_MARK: "k-1", "holder_name": "ÅSA  ÄGARE"}, True),
        ({PERSON_MARK: "k-1"}, {PERSON_MARK: "k-1", "holder_country": "SE"}, True),
        # a title, another order of the words, a further name
        ({PERSON_MARK: "k-1"}, {PERSON_MARK: "k-1", "holder_name": "Mrs Åsa Ägare"}, True),
        ({PERSON_MARK: "k-1"}, {PERSON_MARK: "k-1", "holder_name": "Ägare, Åsa"}, True),
        ({PERSON_MARK: "k-1"}, {PERSON_MARK: "k-1", "holder_name": "Dr. Åsa Maria Ägare"}, True),
        ({PERSON_MARK: "k-1"}, {PERSON_MARK: "k-1", "holder_name": "Åse Ägare"}, False),
        ({PERSON_MARK: "k-1"}, {PERSON_MARK: "k-1", "holder_name": "Ägare"}, False),
        # the other entry begins on the day after
        (
            {PERSON_MARK: "k-1", "ended_on": END},
            {PERSON_MARK: "k-1", "holder_name": "Mrs Åsa Ägare", "valid_from": END + timedelta(days=1)},
            True,
        ),
        ({**ENTITY, "ended_on": END}, {**ENTITY, "holder_name": "Newco Ltd", "valid_from": END}, True),
        # one was held only after the other had ended
        ({PERSON_MARK: "k-1", "ended_on": END}, {PERSON_MARK: "k-1", "valid_from": END + timedelta(days=90)}, False),
        ({PERSON_MARK: "k-1"}, {PERSON_MARK: "k-2"}, False),
        ({PERSON_MARK: "k-1"}, {}, False),
        ({}, {}, False),
        ({PERSON_MARK: "k-1"}, {PERSON_MARK: "k-1", "holder_name": "Bo Ägare"}, False),
        (ENTITY, ENTITY, True),
        (ENTITY, {**ENTITY, "holder_name": "HOLDCO LIMITED"}, True),
        (ENTITY, {**ENTITY, "holder_company_id": "firm:UK:07654321"}, False),
        (ENTITY, {**ENTITY, "holder_company_id": None}, False),
        # parcels of one holder may add up, and so may classes
        (ENTITY, {**ENTITY, "basis": "exact", "pct": 30, "pct_min": 30, "pct_max": 30}, False),
        ({**ENTITY, "share_class": "A"}, {**ENTITY, "share_class": "B"}, False),
    ],
)
def test_repeated_entries_are_those_of_one_holder_at_one_time(
    first: dict[str, Any], second: dict[str, Any], is_repeated: bool
) -> None:
    records = marked(holding("p1", 25, 50, **first), holding("p2", 25, 50, **second))
    found = [{one["native_id"], other["native_id"]} for one, other in repeated_entries(records.to_dicts())]
    assert found == [{"p1", "p2"}] * is_repeated
    assert not is_repeated or companies_with_repeated_entries(records).to_list() == [COMPANY]
    holders = with_holder_id(records, frame(OWNERS))["holder_id"]
    assert holders.n_unique() == (1 if is_repeated else 2)


def test_repeated_entries_of_a_record_and_its_renewal_are_one_holder() -> None:
    records = marked(
        holding("p1", 25, 50, ended_on=END, **{PERSON_MARK: "k-1"}),
        holding("p2", 25, 50, valid_from=END, **{PERSON_MARK: "k-1"}),
        holding("p3", 25, 50, valid_from=date(2023, 1, 1), **{PERSON_MARK: "k-1"}),
    )
    assert with_holder_id(records, frame(OWNERS))["holder_id"].n_unique() == 1


def test_repeated_entry_of_a_known_holder_is_no_event_and_neither_is_its_end() -> None:
    first = holding("p1", 75, 100, **ENTITY)
    second = holding("p2", 75, 100, **ENTITY, valid_from=date(2025, 6, 1))
    before = world(holdings=[first], instant=DAY_1)
    twice = world(holdings=[first, second], before=before)
    assert twice["owners"]["holder_id"].to_list() == before["owners"]["holder_id"].to_list()
    assert twice["owners"]["reconciliation"].to_list() == ["agreed"]
    assert told(before, twice) == []
    once = world(holdings=[first | {"ended_on": END}, second], before=twice)
    assert once["owners"]["ended_on"].to_list() == [None]
    assert told(twice, once) == []
