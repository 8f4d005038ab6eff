"""Named cases of change: what a later filing makes of a line, and which crossings are told."""

from __future__ import annotations

from datetime import date

from tests.pipelines.transforms.ownership.reconciling import (
    INSIDER,
    MANAGER,
    NOTICE,
    PARENT,
    PSC,
    SCHEDULE,
    TR1,
    YEARLY,
    Case,
    line,
    own,
    told,
)

UP_TO_20 = [5, 10, 20]
NEW_DAY = "2026-01-02"  # of the state after

CHANGES = (
    Case(
        "an amended schedule supersedes the one before",
        [told(SCHEDULE, "Aktivist LP", 10.1, day=NEW_DAY)],
        [line("Aktivist LP", 10.1, as_of=date(2026, 1, 2), first_seen=date(2025, 11, 1))],
        before=[told(SCHEDULE, "Aktivist LP", 9.8, day="2025-11-01")],
        events=[("Aktivist LP", 9.8, 10.1, [10])],
    ),
    Case(
        "exit below five percent",
        [told(SCHEDULE, "Aktivist LP", "0-5", day=NEW_DAY, ended=NEW_DAY)],
        [line("Aktivist LP", "0-5", ended_on=date(2026, 1, 2))],
        before=[told(SCHEDULE, "Aktivist LP", 9.8, day="2025-11-01")],
        events=[("Aktivist LP", 9.8, 0, [5])],
    ),
    Case(
        "a notice of less than five percent that leaves the holder",
        [told(NOTICE, "Alfa Verdier AS", "0-5", day=NEW_DAY)],
        [line("Alfa Verdier AS", "0-5")],
        before=[told(NOTICE, "Alfa Verdier AS", 6, day="2025-11-01")],
        events=[("Alfa Verdier AS", 6, 0, [5])],
    ),
    Case(
        "re-entry after an exit",
        [told(SCHEDULE, "Aktivist LP", 5.2, day=NEW_DAY)],
        [line("Aktivist LP", 5.2, ended_on=None, first_seen=date(2025, 6, 1))],
        before=[told(SCHEDULE, "Aktivist LP", 0, day="2025-06-01", ended="2025-06-01")],
        events=[("Aktivist LP", 0, 5.2, [5])],
    ),
    Case(
        "a restated report of the same quarter",
        [told(INSIDER, "Forvalter LLC", 4.9, basis="derived")],
        [line("Forvalter LLC", 4.9, as_of=date(2026, 1, 2))],
        before=[told(INSIDER, "Forvalter LLC", 5.1, basis="derived")],
        events=[("Forvalter LLC", 5.1, 4.9, [5])],
    ),
    Case(
        "five reached is five crossed",
        [told(NOTICE, "Alfa Verdier AS", "5.0000", day=NEW_DAY)],
        [line("Alfa Verdier AS", 5)],
        before=[told(NOTICE, "Alfa Verdier AS", "4.9999", day="2025-11-01")],
        events=[("Alfa Verdier AS", 4.9999, 5, [5])],
    ),
    Case(
        "five left is five crossed",
        [told(NOTICE, "Alfa Verdier AS", "4.9999", day=NEW_DAY)],
        [line("Alfa Verdier AS", 4.9999)],
        before=[told(NOTICE, "Alfa Verdier AS", "5", day="2025-11-01")],
        events=[("Alfa Verdier AS", 5, 4.9999, [5])],
    ),
    Case(
        "between two thresholds nothing is crossed",
        [told(NOTICE, "Alfa Verdier AS", 19.9999, day=NEW_DAY)],
        [line("Alfa Verdier AS", 19.9999)],
        before=[told(NOTICE, "Alfa Verdier AS", 10, day="2025-11-01")],
    ),
    Case(
        "from half to a quarter",
        [told(PSC, "Jane Roe", "25-50", kind="person")],
        [line("Jane Roe", "25-50", as_of=date(2026, 1, 2))],
        before=[told(PSC, "Jane Roe", "50-75", kind="person")],
        events=[("Jane Roe", 50, 25, [50])],
    ),
    Case(
        "bands that overlap cross nothing",
        [told(PSC, "Jane Roe", "50-75", kind="person")],
        [line("Jane Roe", "50-75")],
        before=[told(PSC, "Jane Roe", "25-100", kind="person")],
    ),
    Case(
        "a person with significant control ceased",
        [told(PSC, "Jane Roe", "25-50", kind="person", ended="2025-12-30", day="2020-01-01")],
        [line("Jane Roe", "25-50", ended_on=date(2025, 12, 30))],
        before=[told(PSC, "Jane Roe", "25-50", kind="person", day="2020-01-01")],
        events=[("Jane Roe", 25, 0, UP_TO_20)],
    ),
    Case(
        "a new person with significant control of more than half",
        [told(PSC, "Jane Roe", "50-75", kind="person", day="2025-12-30"), told(PSC, "Old Roe", "25-50")],
        [line("Jane Roe", "50-75"), line("Old Roe", "25-50")],
        before=[told(PSC, "Old Roe", "25-50")],
        events=[("Jane Roe", 0, 50, [5, 10, 20, 50])],
    ),
    Case(
        "the same person notified anew under another name is another record",
        [
            told(PSC, "Jane Roe", "25-50", id="a", kind="person", ended="2025-12-30", day="2020-01-01"),
            told(PSC, "Jane Doe", "25-50", id="b", kind="person", day="2025-12-30"),
        ],
        [line("Jane Roe", "25-50", ended_on=date(2025, 12, 30)), line("Jane Doe", "25-50")],
        before=[told(PSC, "Jane Roe", "25-50", id="a", kind="person", day="2020-01-01")],
        events=[("Jane Roe", 25, 0, UP_TO_20), ("Jane Doe", 0, 25, UP_TO_20)],
    ),
    Case(
        "the same person notified anew with another share is the same holder",
        [
            told(PSC, "Jane Roe", "25-50", id="a", kind="person", ended="2025-12-30", day="2020-01-01"),
            told(PSC, "Jane Roe", "50-75", id="b", kind="person", day="2025-12-30"),
        ],
        [
            line(
                "Jane Roe",
                "50-75",
                "agreed",
                PSC,
                PSC,
                holder_id=own(PSC, "a"),
                as_of=date(2025, 12, 30),
                first_seen=date(2020, 1, 1),
                ended_on=None,
            )
        ],
        before=[told(PSC, "Jane Roe", "25-50", id="a", kind="person", day="2020-01-01")],
        events=[("Jane Roe", 25, 50, [50])],
    ),
    Case(
        "the same person notified anew, twice, with the same share",
        [
            told(PSC, "Jane Roe", "25-50", id="a", kind="person", ended="2024-12-30", day="2020-01-01"),
            told(PSC, "JANE ROE", "25-50", id="b", kind="person", ended="2025-11-30", day="2024-12-31"),
            told(PSC, "Jane Roe", "25-50", id="c", kind="person", day="2025-11-30"),
        ],
        [line("Jane Roe", "25-50", "agreed", PSC, PSC, PSC, ended_on=None)],
        before=[told(PSC, "Jane Roe", "25-50", id="a", kind="person", day="2020-01-01")],
    ),
    Case(
        "a person of that name notified later is another record",
        [
            told(PSC, "Jane Roe", "25-50", id="a", kind="person", ended="2025-11-30", day="2020-01-01"),
            told(PSC, "Jane Roe", "50-75", id="b", kind="person", day="2025-12-30"),
        ],
        [line("Jane Roe", "25-50", ended_on=date(2025, 11, 30)), line("Jane Roe", "50-75")],
        before=[told(PSC, "Jane Roe", "25-50", id="a", kind="person", day="2020-01-01")],
        events=[("Jane Roe", 25, 0, UP_TO_20), ("Jane Roe", 0, 50, [5, 10, 20, 50])],
    ),
    Case(
        "two of one name of whom one follows on one: nobody knows on whom",
        [
            told(PSC, "Jane Roe", "25-50", id="a", kind="person", ended="2025-12-30", day="2020-01-01"),
            told(PSC, "Jane Roe", "25-50", id="b", kind="person", ended="2025-12-30", day="2020-01-01"),
            told(PSC, "Jane Roe", "50-75", id="c", kind="person", day="2025-12-30"),
        ],
        [line("Jane Roe", "25-50"), line("Jane Roe", "25-50"), line("Jane Roe", "50-75")],
    ),
    Case(
        "a renewed record of another country is of another holder",
        [
            told(PSC, "Jane Roe", "25-50", id="a", kind="person", ended="2025-12-30", country="GB"),
            told(PSC, "Jane Roe", "25-50", id="b", kind="person", day="2025-12-30", country="SE"),
        ],
        [line("Jane Roe", "25-50"), line("Jane Roe", "25-50")],
    ),
    Case(
        "one class that ends where another begins is no renewal",
        [
            told(SCHEDULE, "Page", 8, cls="Class A", id="1/a", ended="2025-12-30"),
            told(SCHEDULE, "Page", 8, cls="Class B", id="1/b", day="2025-12-30"),
        ],
        [line("Page", 8, share_class="Class A"), line("Page", 8, share_class="Class B")],
    ),
    Case(
        "a changed name in the same record is the same holder",
        [told(PSC, "Jane Doe", "25-50", id="a", kind="person")],
        [line("Jane Doe", "25-50")],
        before=[told(PSC, "Jane Roe", "25-50", id="a", kind="person")],
    ),
    Case(
        "a figure inside the band known before crosses nothing",
        [told(TR1, "Alfa plc", 29.9, day=NEW_DAY), told(PSC, "Alfa plc", "25-50", day="2021-01-01")],
        [line("Alfa plc", 29.9, "agreed", TR1, PSC)],
        before=[told(PSC, "Alfa plc", "25-50", day="2021-01-01")],
    ),
    Case(
        "a newer figure outside the band known before",
        [told(TR1, "Alfa plc", 19, day=NEW_DAY), told(PSC, "Alfa plc", "25-50", day="2021-01-01")],
        [line("Alfa plc", 19, "latest_wins", TR1, PSC)],
        before=[told(PSC, "Alfa plc", "25-50", day="2021-01-01")],
        events=[("Alfa plc", 25, 19, [20])],
    ),
    Case(
        "an older figure that comes late leaves the newer band",
        [told(TR1, "Alfa plc", 19, day="2019-01-01"), told(PSC, "Alfa plc", "25-50", day="2021-01-01")],
        [line("Alfa plc", "25-50", "latest_wins", PSC, TR1)],
        before=[told(PSC, "Alfa plc", "25-50", day="2021-01-01")],
    ),
    Case(
        "another register tells of the same share",
        [told(NOTICE, "Alfa Verdier AS", 12), told(YEARLY, "Alfa Verdier AS", 12)],
        [line("Alfa Verdier AS", 12, "agreed")],
        before=[told(YEARLY, "Alfa Verdier AS", 12)],
    ),
    Case(
        "each joint filer crosses by itself",
        [
            told(SCHEDULE, "Rythm Leder LLC", 10.5, day=NEW_DAY),
            told(SCHEDULE, "Per Rythm", "=10.5", day=NEW_DAY, kind="person"),
        ],
        [line("Rythm Leder LLC", 10.5), line("Per Rythm", "=10.5")],
        before=[
            told(SCHEDULE, "Rythm Leder LLC", 9, day="2025-11-01"),
            told(SCHEDULE, "Per Rythm", "=9", day="2025-11-01", kind="person"),
        ],
        events=[("Rythm Leder LLC", 9, 10.5, [10]), ("Per Rythm", 9, 10.5, [10])],
    ),
    Case(
        "consolidation that becomes known crosses nothing",
        [told("xx.lei", "Mor ASA", number=PARENT)],
        [line("Mor ASA", None)],
        before=[],
    ),
    Case(
        "an unknown share that becomes known crosses nothing",
        [told(YEARLY, "Alfa Verdier AS", 40)],
        [line("Alfa Verdier AS", 40)],
        before=[told(YEARLY, "Alfa Verdier AS")],
    ),
    Case(
        "in a notice of votes alone the votes cross",
        [told(NOTICE, "Alfa Verdier AS", votes=5.01, day=NEW_DAY)],
        [line("Alfa Verdier AS", None, votes_pct=5.01)],
        before=[told(NOTICE, "Alfa Verdier AS", votes=4.99, day="2025-11-01")],
        events=[("Alfa Verdier AS", 4.99, 5.01, [5])],
    ),
)

MEASURES = (
    Case(
        "a list of capital after votes alone is no crossing",
        [told(NOTICE, "Alfa AS", votes=27.1, day="2025-06-01"), told(YEARLY, "Alfa AS", 10.7)],
        [line("Alfa AS", 10.7, "agreed", YEARLY, NOTICE, votes_pct=27.1)],
        before=[told(NOTICE, "Alfa AS", votes=27.1, day="2025-06-01")],
    ),
    Case(
        "votes are compared with votes where the new notice says nothing of capital",
        [told(NOTICE, "Alfa AS", votes=26, day=NEW_DAY)],
        [line("Alfa AS", None, votes_pct=26)],
        before=[told(NOTICE, "Alfa AS", 10.7, votes=27.1, day="2025-06-01")],
    ),
    Case(
        "a notice of votes after a list of capital",
        [told(NOTICE, "Alfa AS", votes=4.2, day=NEW_DAY), told(YEARLY, "Alfa AS", 10.7)],
        [line("Alfa AS", None, "agreed", NOTICE, YEARLY, votes_pct=4.2)],
        before=[told(YEARLY, "Alfa AS", 10.7)],
        events=[("Alfa AS", 10.7, 4.2, [5, 10])],
    ),
    Case(
        "less than five percent of the votes",
        [told(NOTICE, "Alfa AS", day=NEW_DAY, basis="band", votes_min=0, votes_max=5)],
        [line("Alfa AS", None, as_of=date(2026, 1, 2))],
        before=[told(NOTICE, "Alfa AS", votes=6, day="2025-06-01")],
        events=[("Alfa AS", 6, 0, [5])],
    ),
    Case(
        "a figure inside the band of votes known before crosses nothing",
        [told(NOTICE, "Alfa AS", votes=6.2, day=NEW_DAY)],
        [line("Alfa AS", None, votes_pct=6.2)],
        before=[told(NOTICE, "Alfa AS", day="2025-06-01", basis="band", votes_min=0, votes_max=10)],
    ),
    Case(
        "a percentage that can no longer be computed has not ended",
        [],
        [],
        before=[told(MANAGER, "Forvalter LLC", 7, basis="derived")],
    ),
    Case(
        "a stated percentage that is taken back has",
        [],
        [],
        before=[told(NOTICE, "Alfa AS", 7)],
        events=[("Alfa AS", 7, 0, [5])],
    ),
)
