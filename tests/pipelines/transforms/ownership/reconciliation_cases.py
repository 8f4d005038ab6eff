"""Named cases of reconciliation: classes of shares, and whose share counts."""

from __future__ import annotations

from datetime import date

from tests.pipelines.transforms.ownership.reconciling import (
    GLEIF,
    GROUP,
    INSIDER,
    MANAGER,
    NOTICE,
    PARENT,
    PSC,
    ROLES,
    SCHEDULE,
    TR1,
    YEARLY,
    Case,
    line,
    told,
)

CLASSES = (
    Case(
        "two classes of shares are two lines",
        [
            told(SCHEDULE, "Page", 8, cls="Class A", id="1/a", number=PARENT),
            told(SCHEDULE, "Page", 40, cls="Class B", id="1/b", number=PARENT),
        ],
        [line("Page", 8, share_class="Class A"), line("Page", 40, share_class="Class B")],
    ),
    Case(
        "classes of two registers meet class by class",
        [
            told(SCHEDULE, "Page", 8, cls="Class A Common Stock", id="1/a", number=PARENT),
            told(SCHEDULE, "Page", 40, cls="Class B Common Stock", id="1/b", number=PARENT),
            told(INSIDER, "Page", 41, cls="Class B Common Stock", id="1/0", number=PARENT),
            told(INSIDER, "Page", 8.1, cls="Class A Common Stock", id="1/z", number=PARENT),
        ],
        [line("Page", 8, "agreed", SCHEDULE, INSIDER), line("Page", 40, "conflict", SCHEDULE, INSIDER)],
    ),
    Case(
        "one class spelled two ways is one",
        [
            told(SCHEDULE, "Page", 8, cls="Common Stock, par value $0.01", number=PARENT),
            told(INSIDER, "Page", 8, cls="Common Stock", number=PARENT),
        ],
        [line("Page", 8, "agreed")],
    ),
    Case(
        "votes against capital of one notice",
        [told(NOTICE, "Stemmerett AS", 10.7, votes=27.1)],
        [line("Stemmerett AS", 10.7, votes_pct=27.1)],
    ),
    Case(
        "votes of one register, capital of another",
        [told(NOTICE, "Stemmerett AS", votes=27.1, day="2025-06-01"), told(YEARLY, "Stemmerett AS", 10.7)],
        [line("Stemmerett AS", 10.7, "agreed", YEARLY, NOTICE, votes_pct=27.1)],
    ),
    Case(
        "votes that are newer make capital out of date",
        [told(NOTICE, "Stemmerett AS", votes=4.2, day="2026-06-01"), told(YEARLY, "Stemmerett AS", 10.7)],
        [line("Stemmerett AS", None, "agreed", NOTICE, YEARLY, votes_pct=4.2)],
    ),
)

ORDER = (
    Case(
        "capital that votes have made out of date leaves it to a newer list",
        [
            told(NOTICE, "Stemmerett AS", votes=27.1, day="2024-06-01"),
            told(GROUP, "Stemmerett AS", 60, day="2020-01-01"),
            told(YEARLY, "Stemmerett AS", 12),
        ],
        [line("Stemmerett AS", 12, "latest_wins", YEARLY, NOTICE, GROUP, votes_pct=27.1)],
    ),
    Case(
        "a figure inside the band that overtook another figure",
        [
            told(NOTICE, "Alfa plc", 20, day="2019-05-01"),
            told(YEARLY, "Alfa plc", 30),
            told(PSC, "Alfa plc", "25-50", day="2024-01-01"),
        ],
        [line("Alfa plc", 30, "latest_wins", YEARLY, NOTICE, PSC)],
    ),
)

SHARES = (
    Case(
        "joint filers tell of the same shares once",
        [
            told(SCHEDULE, "Rythm Leder LLC", 49.99),
            told(SCHEDULE, "Rythm Fond LP", "=49.99"),
            told(SCHEDULE, "Per Rythm", "=49.99", kind="person"),
        ],
        [line("Rythm Leder LLC", 49.99), line("Rythm Fond LP", "=49.99"), line("Per Rythm", "=49.99")],
    ),
    Case(
        "a joint filer's own form does not add its shares again",
        [
            told(SCHEDULE, "Rythm Leder LLC", 49.99),
            told(SCHEDULE, "Per Rythm", "=49.99", kind="person"),
            told(INSIDER, "Per Rythm", 49.9, kind="person", basis="derived"),
        ],
        [line("Rythm Leder LLC", 49.99), line("Per Rythm", "=49.99", "agreed", SCHEDULE, INSIDER)],
    ),
    Case(
        "a group in two registers is not summed",
        [
            told(GROUP, "Konsernspissen AS", 60, number=PARENT),
            told(YEARLY, "Konsernspissen AS", 35, number=PARENT, day="2025-12-31"),
        ],
        [line("Konsernspissen AS", 60, "conflict", GROUP, YEARLY)],
    ),
    Case(
        "an exact figure inside a band says more",
        [told(TR1, "Alfa plc", 29.9, day="2019-05-01"), told(PSC, "Alfa plc", "25-50", day="2021-01-01")],
        [line("Alfa plc", 29.9, "agreed", TR1, PSC)],
    ),
    Case(
        "a figure inside the band of a register that stands before it",
        [told(SCHEDULE, "Alfa Inc", "0-5", day="2025-12-31"), told(MANAGER, "Alfa Inc", 3.1, basis="derived")],
        [line("Alfa Inc", 3.1, "agreed", MANAGER, SCHEDULE, basis="derived")],
    ),
    Case(
        "a newer figure over an older band",
        [told(TR1, "Alfa plc", 20, day="2024-05-01"), told(PSC, "Alfa plc", "25-50", day="2021-01-01")],
        [line("Alfa plc", 20, "latest_wins", TR1, PSC)],
    ),
    Case(
        "a newer band over an older figure",
        [told(TR1, "Alfa plc", 29.9, day="2019-05-01"), told(PSC, "Alfa plc", "50-75", day="2024-01-01")],
        [line("Alfa plc", "50-75", "latest_wins", PSC, TR1)],
    ),
    Case(
        "a band that contradicts a figure of the same day",
        [told(TR1, "Alfa plc", 20, day="2024-05-01"), told(PSC, "Alfa plc", "25-50", day="2024-05-01")],
        [line("Alfa plc", 20, "conflict", TR1, PSC)],
    ),
    Case(
        "a figure at the edge of a band agrees",
        [told(TR1, "Alfa plc", 25, day="2024-05-01"), told(PSC, "Alfa plc", "25-50", day="2024-05-01")],
        [line("Alfa plc", 25, "agreed", TR1, PSC)],
    ),
    Case(
        "two bands that touch contradict each other",
        [told(SCHEDULE, "Alfa plc", "25-50", day="2024-05-01"), told(PSC, "Alfa plc", "50-75", day="2024-05-01")],
        [line("Alfa plc", "25-50", "conflict", SCHEDULE, PSC)],
    ),
    Case(
        "conflicting sources on one day",
        [told(NOTICE, "Alfa Verdier AS", 12, number=PARENT), told(YEARLY, "Alfa Verdier AS", 9, number=PARENT)],
        [line("Alfa Verdier AS", 12, "conflict", NOTICE, YEARLY)],
    ),
    Case(
        "half a point apart on one day agrees",
        [told(NOTICE, "Alfa Verdier AS", 12, number=PARENT), told(YEARLY, "Alfa Verdier AS", 11.5, number=PARENT)],
        [line("Alfa Verdier AS", 12, "agreed")],
    ),
    Case(
        "sources of two days that differ",
        [told(NOTICE, "Alfa Verdier AS", 10.7, day="2026-11-18"), told(YEARLY, "Alfa Verdier AS", 8.2)],
        [line("Alfa Verdier AS", 10.7, "latest_wins", NOTICE, YEARLY, as_of=date(2026, 11, 18))],
    ),
    Case(
        "three registers in the order of their word",
        [told(YEARLY, "Alfa Verdier AS", 40), told(GROUP, "Alfa Verdier AS", 51), told(NOTICE, "Alfa Verdier AS", 45)],
        [line("Alfa Verdier AS", 45, "conflict", NOTICE, GROUP, YEARLY)],
    ),
    Case(
        "a role that says nothing of a share leaves it to the list",
        [told(ROLES, "Alfa Verdier AS", number=PARENT), told(YEARLY, "Alfa Verdier AS", 40, number=PARENT)],
        [line("Alfa Verdier AS", 40, "agreed", YEARLY, ROLES)],
    ),
    Case(
        "a manager whose quarter is over holds nothing any more",
        [told(MANAGER, "Gammel Forvalter LLC", 6, day="2024-03-31", ended="2024-08-15", basis="derived")],
        [line("Gammel Forvalter LLC", 6, ended_on=date(2024, 8, 15))],
    ),
    Case(
        "a stale report of a manager takes nothing from its schedule",
        [
            told(SCHEDULE, "Forvalter LLC", 6.1, day="2024-02-14"),
            told(MANAGER, "Forvalter LLC", 5.8, day="2023-12-31", ended="2024-05-15", basis="derived"),
        ],
        [line("Forvalter LLC", 6.1, "agreed", SCHEDULE, MANAGER, ended_on=None)],
    ),
    Case(
        "a nominee is marked",
        [told(YEARLY, "DNB Bank ASA", 14, kind="nominee", number=PARENT)],
        [line("DNB Bank ASA", 14, holder_type="nominee")],
    ),
    Case(
        "a nominee's account that a notice names without its kind",
        [
            told(NOTICE, "State Street Bank and Trust Company", 14, kind="unknown"),
            told(YEARLY, "State Street Bank and Trust Company", 14, kind="nominee"),
        ],
        [line("State Street Bank and Trust Company", 14, "agreed", holder_type="nominee")],
    ),
    Case(
        "a nominee whose own share another register tells is what that says",
        [
            told(GROUP, "DNB Bank ASA", 51, number=PARENT),
            told(YEARLY, "DNB Bank ASA", 14, kind="nominee", number=PARENT),
        ],
        [line("DNB Bank ASA", 51, "conflict", holder_type="company")],
    ),
    Case(
        "consolidation is a relationship and no share",
        [told(GLEIF, "Mor ASA", number=PARENT, controls=["consolidated_parent"])],
        [line("Mor ASA", None, basis=None)],
    ),
    Case(
        "consolidation beside a share leaves the share",
        [told(GLEIF, "Mor ASA", number=PARENT), told(YEARLY, "Mor ASA", 80, number=PARENT)],
        [line("Mor ASA", 80, "agreed", YEARLY, GLEIF)],
    ),
    Case(
        "leaving a group that tells of no share is no sale",
        [
            told(GROUP, "Mor ASA", number=PARENT, day="2020-01-01", ended="2026-03-01"),
            told(YEARLY, "Mor ASA", 80, number=PARENT),
        ],
        [line("Mor ASA", 80, "agreed", YEARLY, GROUP, ended_on=None)],
    ),
    Case(
        "the end of consolidation is no end of a share",
        [told(GLEIF, "Mor ASA", number=PARENT, ended="2026-03-01"), told(PSC, "Mor ASA", "75-100", number=PARENT)],
        [line("Mor ASA", "75-100", ended_on=None) | {"reconciliation": "agreed"}],
    ),
)
