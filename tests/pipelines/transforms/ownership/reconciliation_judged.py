"""Named cases of reconciliation: what persons judge."""

from __future__ import annotations

from datetime import date

from tests.pipelines.transforms.ownership.reconciliation_changes import NEW_DAY
from tests.pipelines.transforms.ownership.reconciling import (
    NOTICE,
    OTHER,
    PARENT,
    PSC,
    SCHEDULE,
    YEARLY,
    Case,
    different,
    line,
    own,
    same,
    told,
)

JUDGED = (
    Case(
        "two names that a person says are one, and no event of it",
        [
            told(PSC, "Jane Roe", "25-50", id="a", kind="person", day="2020-01-01"),
            told(PSC, "Jane Doe", "25-50", id="b", kind="person"),
        ],
        [line("Jane Doe", "25-50", "agreed", PSC, PSC, holder_id=own(PSC, "a"), first_seen=date(2020, 1, 1))],
        before=[
            told(PSC, "Jane Roe", "25-50", id="a", kind="person", day="2020-01-01"),
            told(PSC, "Jane Doe", "25-50", id="b", kind="person"),
        ],
        verdicts=[same(own(PSC, "a"), own(PSC, "b"))],
    ),
    Case(
        "two shares of one register that a person joins: the newer one holds, and no event of it",
        [told(NOTICE, "Alfa", 12, id="a", day="2025-12-31"), told(NOTICE, "Beta", 4, id="b", day="2025-01-01")],
        [line("Alfa", 12, "latest_wins", NOTICE, NOTICE, holder_id=own(NOTICE, "b"))],
        before=[told(NOTICE, "Alfa", 12, id="a", day="2025-12-31"), told(NOTICE, "Beta", 4, id="b", day="2025-01-01")],
        verdicts=[same(own(NOTICE, "a"), own(NOTICE, "b"))],
    ),
    Case(
        "one name that a person says is of two, and no event of it",
        [told(NOTICE, "Alfa Verdier AS", 12), told(YEARLY, "Alfa Verdier AS", 12)],
        [line("Alfa Verdier AS", 12), line("Alfa Verdier AS", 12)],
        before=[told(NOTICE, "Alfa Verdier AS", 12), told(YEARLY, "Alfa Verdier AS", 12)],
        verdicts=[different(own(NOTICE, "Alfa Verdier AS"), own(YEARLY, "Alfa Verdier AS"))],
    ),
    Case(
        "a negative wins over a number",
        [told(NOTICE, "Alfa", 12, number=PARENT), told(YEARLY, "Beta", 12, number=PARENT)],
        [line("Alfa", 12), line("Beta", 12)],
        verdicts=[different(own(YEARLY, "Beta"), own(NOTICE, "Alfa"))],
    ),
    Case(
        "a negative wins over a positive, whichever came first",
        [told(NOTICE, "Alfa", 12), told(YEARLY, "Beta", 12)],
        [line("Alfa", 12), line("Beta", 12)],
        verdicts=[different(own(NOTICE, "Alfa"), own(YEARLY, "Beta")), same(own(NOTICE, "Alfa"), own(YEARLY, "Beta"))],
    ),
    Case(
        "a negative keeps two apart that a third would join",
        [told(NOTICE, "Alfa", 12), told(YEARLY, "Beta", 11), told(SCHEDULE, "Gamma", 10)],
        [line("Alfa", 12, "conflict", NOTICE, YEARLY), line("Gamma", 10)],
        verdicts=[
            same(own(NOTICE, "Alfa"), own(YEARLY, "Beta")),
            same(own(YEARLY, "Beta"), own(SCHEDULE, "Gamma")),
            different(own(NOTICE, "Alfa"), own(SCHEDULE, "Gamma")),
        ],
    ),
    Case(
        "a holder that a person says is a company",
        [told(NOTICE, "Alfa Verdier", 12), told(YEARLY, "Beta AS", 12, number=PARENT)],
        [line("Alfa Verdier", 12, "agreed", NOTICE, YEARLY, holder_company_id=PARENT)],
        verdicts=[same(own(NOTICE, "Alfa Verdier"), PARENT)],
    ),
    Case(
        "a single holder that a person says is a company",
        [told(NOTICE, "Alfa Verdier", 12)],
        [line("Alfa Verdier", 12, holder_company_id=OTHER)],
        verdicts=[same(own(NOTICE, "Alfa Verdier"), OTHER)],
    ),
    Case(
        "a holder that a person says is not a company",
        [told(NOTICE, "Alfa Verdier", 12, number=PARENT), told(YEARLY, "Beta AS", 12, number=PARENT)],
        [line("Alfa Verdier", 12, holder_company_id=None), line("Beta AS", 12)],
        verdicts=[different(own(NOTICE, "Alfa Verdier"), PARENT)],
    ),
    Case(
        "what was judged and is reversed is two holders again, and no event of it",
        [
            told(PSC, "Jane Roe", "25-50", id="a", kind="person", day="2020-01-01"),
            told(PSC, "Jane Doe", "50-75", id="b", kind="person"),
        ],
        [line("Jane Roe", "25-50"), line("Jane Doe", "50-75")],
        before=[
            told(PSC, "Jane Roe", "25-50", id="a", kind="person", day="2020-01-01"),
            told(PSC, "Jane Doe", "50-75", id="b", kind="person"),
        ],
        verdicts_before=[same(own(PSC, "a"), own(PSC, "b"))],
    ),
    Case(
        "what a judged holder does later is told",
        [told(NOTICE, "Alfa", 21, id="a", day=NEW_DAY), told(NOTICE, "Beta", 4, id="b", day="2025-01-01")],
        [line("Alfa", 21, "latest_wins", holder_id=own(NOTICE, "b"))],
        before=[told(NOTICE, "Alfa", 12, id="a", day="2025-12-31"), told(NOTICE, "Beta", 4, id="b", day="2025-01-01")],
        events=[("Alfa", 12, 21, [20])],
        verdicts=[same(own(NOTICE, "a"), own(NOTICE, "b"))],
        verdicts_before=[same(own(NOTICE, "a"), own(NOTICE, "b"))],
    ),
)
