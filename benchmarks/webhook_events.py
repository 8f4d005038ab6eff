"""Events of the webhook benchmarks, and the bodies they go out as: a third filings with all their figures.

Everything follows from an event's number. Does not belong here: publishing them (`webhook_world`).
"""

import json
import random
from datetime import UTC, datetime, timedelta
from typing import Any

from warehouse.schema.ids import natural_id

MARKET = "NO"


def company_id(number: int) -> str:
    """Of a company that exists or not: events and subscriptions need only its id."""
    return f"firm:{MARKET}:{800_000_001 + number}"


def event(company: int, number: int) -> dict[str, Any]:
    """An event as steps make it: every third a filing with all its figures, else a change of status or owner."""
    kind = ("filing.added", "status.changed", "ownership.changed")[number % 3]
    at = datetime(2026, 11, 1, tzinfo=UTC) + timedelta(seconds=number)
    company_of = company_id(company)
    data = {
        "company_id": company_of,
        "org_nr": company_of.rpartition(":")[2],
        "name": f"EKSEMPEL NUMMER {number} AS",
        "country": MARKET,
        "occurred_at": f"{at:%Y-%m-%dT%H:%M:%SZ}",
        "source": {
            "register": "no.brreg.regnskap",
            "native_id": str(2_026_000_000 + number),
            "url": None,
            "retrieved_at": f"{at:%Y-%m-%dT%H:%M:%SZ}",
        },
        **_OF_KIND[kind](number),
    }
    return {
        "event_id": natural_id("evt", company_of, kind, number),
        "event_type": kind,
        "company_id": company_of,
        "known_at": at,
        "occurred_at": at,
        "data": json.dumps(data, ensure_ascii=False, separators=(",", ":")),
    }


def _filing(number: int) -> dict[str, Any]:
    chance = random.Random(number)
    figures = ("revenue", "operating_result", "net_result", "equity", "total_assets")
    return {
        "filing": {
            "filing_id": natural_id("fil", number),
            "filing_type": "annual_report",
            "period": "2025",
            "period_type": "annual",
            "fiscal_year": 2025,
            "fiscal_quarter": None,
            "period_start": "2025-01-01",
            "period_end": "2025-12-31",
            "filed_at": "2026-11-01",
            "version": 1,
            "currency": "NOK",
            **{name: chance.randrange(10**6, 10**10) for name in figures},
            "employees": chance.randrange(500),
            "is_consolidated": False,
            "document_url": None,
        }
    }


def _status(number: int) -> dict[str, Any]:  # noqa: ARG001
    return {
        "change": {
            "previous_status": "active",
            "current_status": "dormant",
            "effective_date": "2026-11-01",
            "registry_status": "Konkurs",
            "reason": "bankruptcy",
        }
    }


def _ownership(number: int) -> dict[str, Any]:
    return {
        "change": {
            "holder_name": f"Eksempel Forvaltning {number} AS",
            "previous_pct": 8.2,
            "current_pct": 10.7,
            "holder_id": natural_id("own", number),
            "holder_type": "company",
            "holder_company_id": None,
            "direction": "up",
            "thresholds_crossed": [10],
            "basis": "exact",
            "as_of": "2026-11-01",
        }
    }


_OF_KIND = {"filing.added": _filing, "status.changed": _status, "ownership.changed": _ownership}


def bodies(count: int) -> list[str]:
    """Bodies as they go out for the first events, for peers that know nothing of subscriptions."""
    made = []
    for number in range(count):
        row = event(number, number)
        at = f"{row['occurred_at']:%Y-%m-%dT%H:%M:%S}.000Z"
        head = {"event_id": row["event_id"], "event_type": row["event_type"], "delivered_at": at}
        made.append(f'{json.dumps(head, separators=(",", ":"))[:-1]},"data":{row["data"]}}}')
    return made
