"""Filters of subscriptions: which events pass, on both engines, on each way to a subscription.

See docs/contract/contract.md 4.8c.
"""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import delete, insert

from api.database.migrate import prepare_database
from api.database.models.watchlists import Watchlist, WatchlistCompany
from api.database.models.webhooks import Delivery, MatchedEvent
from api.webhooks.delivery.queue_repository import load_details
from api.webhooks.delivery.records import QueueEntry
from api.webhooks.filters.event_facts import event_facts
from tests.api.fixtures.fanout import ACCOUNT, NOON, Control, event, matched_all
from warehouse.erasure.event_redaction import EventRedactor
from warehouse.reader.types import CompanyFacts
from warehouse.schema.codes import EVENT_TYPES

SWEDE, NORWEGIAN, BRITON, GONE = "firm:SE:5599999991", "firm:NO:999999999", "firm:UK:99999999", "firm:SE:5599999983"
COMPANIES = {
    SWEDE: CompanyFacts("62010", "SNI2007", True),
    NORWEGIAN: CompanyFacts("621", "TOL2025", False),
    BRITON: CompanyFacts(None, None, False),
}
WATCHLIST = "wl_01kaf3w9c8m2v7q4x1z6t5y0r2"
EVENTS = {
    "swede": (SWEDE, "status.changed", {}),
    "norwegian": (NORWEGIAN, "status.changed", {}),
    "briton": (BRITON, "news.published", {}),
    "gone": (GONE, "status.changed", {}),
    "exact": (SWEDE, "ownership.changed", ("exact", "8.2", "10.7", [10])),
    "small": (NORWEGIAN, "ownership.changed", ("derived", "9.9999", "10", [10])),
    "band": (BRITON, "ownership.changed", ("band", "25", "75", [50])),
    "erased": (SWEDE, "ownership.changed", (None, "null", "null", None)),
    "revenue": (SWEDE, "filing.updated", ["revenue", "equity"]),
    "nothing": (SWEDE, "filing.updated", None),
    "moved": (NORWEGIAN, "company.changed", ["address"]),
}
KNOWN = [name for name, (_, event_type, _) in EVENTS.items() if event_type in EVENT_TYPES]
FILTERS = [
    ({"countries": ["NO", "UK"]}, "norwegian briton small band moved"),
    ({"industries": ["62"]}, "swede norwegian exact small erased revenue nothing moved"),
    ({"industries": ["620", "62010", "9"]}, "swede exact erased revenue nothing"),
    ({"industries": ["620101"]}, ""),
    ({"industries": ["62"], "industry_scheme": "TOL2025"}, "norwegian small moved"),
    ({"industry_scheme": "SNI2007"}, "swede exact erased revenue nothing"),
    ({"is_listed": True}, "swede exact erased revenue nothing"),
    ({"is_listed": False}, "norwegian briton small band moved"),
    ({"is_listed": False, "countries": ["SE"]}, ""),
    ({"ownership": {"thresholds": [10, 20]}}, "swede norwegian briton gone exact small revenue nothing moved"),
    ({"ownership": {"thresholds": [50]}}, "swede norwegian briton gone band revenue nothing moved"),
    ({"ownership": {"min_change_pct": 2.5}}, "swede norwegian briton gone exact revenue nothing moved"),
    ({"ownership": {"min_change_pct": 2.5001}}, "swede norwegian briton gone revenue nothing moved"),
    ({"ownership": {"min_change_pct": 0.0001}}, "swede norwegian briton gone exact small revenue nothing moved"),
    ({"ownership": {"min_change_pct": 0}}, "swede norwegian briton gone exact small revenue nothing moved"),
    (
        {"ownership": {"min_change_pct": 1, "thresholds": [5, 10]}, "countries": ["SE", "NO"]},
        "swede norwegian gone exact revenue nothing moved",
    ),
    ({"changed_fields": ["equity", "name"]}, "swede norwegian briton gone exact small band erased revenue"),
    ({"changed_fields": ["address"]}, "swede norwegian briton gone exact small band erased moved"),
    ({"watchlist_id": WATCHLIST}, "norwegian gone small moved"),
    ({"watchlist_id": WATCHLIST, "is_listed": False}, "norwegian small moved"),
    ({"industries": [f"{one:06}" for one in range(49)] + ["62"], "countries": ["SE", "FI"], "is_listed": True,
      "changed_fields": ["revenue", "equity"]}, "swede exact erased revenue"),
]  # fmt: skip


@pytest.fixture
def control(control_url: str) -> Iterator[Control]:
    database = prepare_database(control_url)
    control = Control(database)
    control.ledger.companies.update(COMPANIES)
    watch(control, NORWEGIAN, GONE)
    yield control
    database.close()


def watch(control: Control, *companies: str) -> None:
    row = {"watchlist_id": WATCHLIST, "account_id": ACCOUNT, "name": "Suppliers", "companies": len(companies)}
    with control.database.writing() as session:
        session.execute(insert(Watchlist), [row | {"created_at": NOON, "updated_at": NOON, "revision": 1}])
        listed = [{"watchlist_id": WATCHLIST, "company_id": one, "added_at": NOON} for one in companies]
        session.execute(insert(WatchlistCompany), listed)


def publish(control: Control, *names: str) -> None:
    for name in names:
        company, event_type, change = EVENTS[name]
        stated = event(len(control.ledger.events) + 1, company, event_type)
        control.ledger.events.append(_with_change(stated, change))


def _with_change(stated: Any, change: Any) -> Any:
    data = json.loads(stated.data)
    if isinstance(change, tuple):
        basis, before, after, crossed = change
        text = json.dumps({"basis": basis, "previous_pct": "<", "current_pct": ">", "thresholds_crossed": crossed})
        data["change"] = "?"
        text = text.replace('"<"', before).replace('">"', after)
        return type(stated)(*(getattr(stated, one) for one in stated.__slots__[:-1]),
                            json.dumps(data).replace('"?"', text).encode())  # fmt: skip
    if change is None or isinstance(change, list):
        fields = None if change is None else [{"field": one, "previous": 1, "current": None} for one in change]
        key = {"filing": {"changed_fields": fields}, "change": {"changes": fields}}
        name = "filing" if stated.event_type == "filing.updated" else "change"
        data[name] = key[name]
    return type(stated)(*(getattr(stated, one) for one in stated.__slots__[:-1]), json.dumps(data).encode())


@pytest.mark.parametrize("erased", [SWEDE, "own_7h2k9m4p1q8s3t6v0w5x2y7z4b"])
def test_a_change_erased_before_it_was_matched_has_no_known_size(erased: str) -> None:
    """As one erased afterwards: a redacted event keeps its shares, also in a ledger matched again after a restore."""
    stated = event(1, SWEDE, "ownership.changed")
    data = {"company_id": SWEDE, "org_nr": "5599999991", "name": "A", "source": {"native_id": "2026-4411"}}
    change = {"holder_name": "B", "holder_id": "own_7h2k9m4p1q8s3t6v0w5x2y7z4b", "basis": "exact"}
    change |= {"previous_pct": 8.2, "current_pct": 10.7, "thresholds_crossed": [10]}

    def sizes(text: str) -> tuple[int | None, int | None]:
        facts = event_facts(replace(stated, data=text.encode()), None)
        return facts.share_change, facts.thresholds

    told = json.dumps(data | {"change": change})
    assert sizes(told) == (25_000, 0b10)
    assert sizes(json.dumps(data | {"change": change | {"holder_name": None}})) == (25_000, 0b10), "protected by law"
    subjects = frozenset({erased})
    assert sizes(EventRedactor(subjects, subjects).redact_event(told)) == (None, None)


def delivered(control: Control, subscription: str) -> list[str]:
    names = dict(enumerate(EVENTS, start=1))
    return [
        names[row.sequence]
        for row in sorted(
            control.rows(Delivery, Delivery.subscription_id == subscription), key=lambda row: row.sequence
        )
    ]


def test_every_filter_on_every_way_to_a_subscription(control: Control) -> None:
    """To all companies, by selectors or a watchlist; to chosen companies, where both hold."""
    everywhere = [control.subscribe(filters=one) for one, _ in FILTERS]
    chosen = [control.subscribe([SWEDE, BRITON], filters=one) for one, _ in FILTERS]
    unfiltered = control.subscribe()
    publish(control, *EVENTS)
    matched_all(control.fan_out())
    assert delivered(control, unfiltered) == KNOWN
    for place, (filters, expected) in enumerate(FILTERS):
        wanted = [name for name in expected.split() if name in KNOWN]
        assert delivered(control, everywhere[place]) == wanted, filters
        of_chosen = [name for name in wanted if EVENTS[name][0] in (SWEDE, BRITON)]
        assert delivered(control, chosen[place]) == of_chosen, filters


def test_the_worker_asks_the_same_of_what_was_matched(control: Control) -> None:
    """Before each attempt, replays included: a subscription whose filters changed gets no event that they keep out."""
    unfiltered = control.subscribe()
    publish(control, *EVENTS)
    matched_all(control.fan_out())
    rows = control.rows(Delivery, Delivery.subscription_id == unfiltered)
    queued = [QueueEntry(unfiltered, 0, f"att_{row.sequence}", row.delivery_id, "schedule") for row in rows]
    places = [row.sequence for row in rows]
    names = dict(enumerate(EVENTS, start=1))
    for filters, expected in FILTERS:
        control.filter(unfiltered, filters)
        with control.database.reading() as session:
            found = list(load_details(session.connection(), queued))
        covered = {names[place] for place, one in zip(places, found, strict=True) if one.covers_event}
        assert covered == {*expected.split()}.intersection(KNOWN), filters


def test_changes_of_a_watchlist_act_on_the_next_event(control: Control) -> None:
    watching = control.subscribe(filters={"watchlist_id": WATCHLIST})
    fan_out = control.fan_out()
    publish(control, "swede", "norwegian")
    matched_all(fan_out)
    assert delivered(control, watching) == ["norwegian"]
    with control.database.writing() as session:
        session.execute(delete(WatchlistCompany).where(WatchlistCompany.company_id == NORWEGIAN))
        row = {"watchlist_id": WATCHLIST, "company_id": SWEDE, "added_at": NOON}
        session.execute(insert(WatchlistCompany), [row])
    publish(control, "norwegian", "swede")
    matched_all(fan_out)
    assert [row.sequence for row in control.rows(Delivery, Delivery.subscription_id == watching)] == [2, 4]


def test_paused_and_deleted_subscriptions_with_filters(control: Control) -> None:
    filters = {"countries": ["SE"]}
    paused = control.subscribe(filters=filters, status="paused", status_reason="manual")
    deleted = control.subscribe(filters=filters, deleted_at=NOON)
    publish(control, "swede")
    control.subscribe(filters=filters)
    matched_all(control.fan_out())
    assert [row.status for row in control.rows(Delivery)] == ["held"]
    assert not control.rows(Delivery, Delivery.subscription_id == deleted)
    assert [row.subscription_id for row in control.rows(Delivery)] == [paused]


def test_data_of_another_form_passes_no_filter_that_asks_for_it(control: Control, caplog: Any) -> None:
    """An event that cannot be read stops none of the others."""
    asking = control.subscribe(filters={"ownership": {"thresholds": [10]}})
    control.subscribe()
    control.ledger.add(SWEDE, "ownership.changed")
    control.ledger.events[0] = _with_change(control.ledger.events[0], ("exact", '"much"', "5", [10]))
    control.ledger.add(SWEDE)
    assert matched_all(control.fan_out()) == 2
    assert "has another form" in caplog.text
    assert [row.sequence for row in control.rows(Delivery, Delivery.subscription_id == asking)] == [2]
    assert control.count(MatchedEvent) == 2
