"""Records that a register issues again: by their whole names, whatever blanks and case they are written with."""

from __future__ import annotations

from datetime import date, timedelta

from pipelines.transforms.holders.renewals import companies_with_renewals, renewal_pairs
from tests.pipelines.eventful import told, world
from tests.pipelines.frames import COMPANY, DAY_1, frame, holding
from tests.tables import check_cases
from warehouse.schema.tables import HOLDINGS

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
