"""Transitions that were published under the ids of an earlier key are recognised, once each."""

from __future__ import annotations

import json
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

from pipelines.maintenance.former_ids import with_published_ids
from tests.warehouse.helpers import day, rows
from warehouse.ledger.ledger import Ledger
from warehouse.schema import ids
from warehouse.schema.tables import EVENTS
from warehouse.storage.layout import Layout

COMPANY = "firm:NO:923609016"
STATUS = {"previous_status": "active", "current_status": "dormant", "effective_date": "2026-10-30"}
SHARE = {"holder_id": "own_x", "as_of": "2026-10-30", "previous_pct": 8.2, "current_pct": 10}
FORMER_STATUS = ids.natural_id("evt", "status.changed", COMPANY, "active", "dormant", date(2026, 10, 30))
FORMER_SHARE = ids.natural_id(
    "evt", "ownership.changed", COMPANY, "own_x", date(2026, 10, 30), Decimal("8.2"), Decimal("10.0")
)


def transition(event_id: str, kind: str, change: dict[str, Any], known: int) -> dict[str, Any]:
    data = {"company_id": COMPANY, "occurred_at": "t", "change": change}
    plain = {"event_id": event_id, "event_type": kind, "company_id": COMPANY, "data": json.dumps(data)}
    return plain | {"known_at": day(known), "occurred_at": day(0)}


def test_published_ids_of_transitions_with_one_former_id_belong_to_the_first(tmp_path: Path) -> None:
    ledger = Ledger(Layout(tmp_path))
    published = [
        transition(FORMER_STATUS, "status.changed", STATUS, 1),
        transition(FORMER_SHARE, "ownership.changed", SHARE, 1),
        transition("evt_own", "status.changed", STATUS, 2),
        transition("evt_filing", "filing.added", {}, 2),
    ]
    ledger.append(1, rows(EVENTS, *published), day(9))
    derived = [
        transition("evt_third", "status.changed", STATUS, 5),
        transition("evt_first", "status.changed", STATUS, 1),
        transition("evt_share", "ownership.changed", SHARE, 1),
        transition("evt_own", "status.changed", STATUS, 0),
        transition("evt_filing", "filing.added", {}, 2),
        transition("evt_new", "status.changed", STATUS | {"effective_date": "2026-10-31"}, 3),
    ]
    found = with_published_ids(rows(EVENTS, *derived), ledger)
    assert dict(found.select("event_id", "published_id").iter_rows()) == {
        "evt_third": None,
        "evt_first": FORMER_STATUS,
        "evt_share": FORMER_SHARE,
        "evt_own": "evt_own",
        "evt_filing": "evt_filing",
        "evt_new": None,
    }
