"""A file of the newest day, issued again with other bytes: its event comes, and the next day is not late."""

import csv
import json
from collections import Counter
from pathlib import Path

import pytest

from sandbox import World, expected, write_days
from tests.firm.conftest import Firm

pytestmark = pytest.mark.slow


def test_a_day_issued_again_makes_its_event_and_delays_nothing(tmp_path: Path) -> None:
    days = write_days(World(seed=3, companies=140, days=3, markets=("NO",)), tmp_path / "days")
    told = json.loads((tmp_path / "days" / "truth.json").read_text())
    firm = Firm(tmp_path / "data")
    for day in days[:2]:
        firm.ingest(day)
    changing = {event["company_id"] for event in expected.truth_events(told)}
    path = days[1] / "no" / "enheter_bulk_csv" / "enheter_alle.csv"
    with path.open(encoding="utf-8", newline="") as file:
        head, *rows = csv.reader(file)
    number, flag = head.index("organisasjonsnummer"), head.index("konkurs")
    state = expected.expected_on_day(told, told["days"][2])
    spared = next(
        row
        for row in rows
        if f"firm:NO:{row[number]}" not in changing and state[f"firm:NO:{row[number]}"]["profile"]["status"] == "active"
    )
    spared[flag] = "true"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, quoting=csv.QUOTE_ALL).writerows([head, *rows])
    assert firm.ingest(days[1])["events"] == {"status.changed": 1}
    planned = Counter(event["event_type"] for event in expected.truth_events(told, told["days"][2]))
    planned["status.changed"] += 1  # the third day's sound file takes the planted bankruptcy back
    assert firm.ingest(days[2])["events"] == dict(planned)
