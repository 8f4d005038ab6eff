"""company.changed: which changes of a profile are news of the company, and which only look like it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date, datetime, timedelta
from typing import Any

import pytest

from pipelines.transforms.events.emission_rules import EmissionContext, ProfileSources
from pipelines.transforms.events.event_rows import build_event_rows
from tests.pipelines.eventful import data, world
from tests.pipelines.frames import COMPANY, DAY_1, DAY_2, DAY_3, company, difference, differences, frame, whole
from tests.tables import check_cases
from warehouse.schema import ids
from warehouse.schema.codes import ERASED, PROFILE_FIELDS
from warehouse.schema.tables import LISTINGS

REGISTER, CHANNEL, OTHER, SEATS, MARKETPLACE = "xx.register", "xx.channel", "xx.other", "xx.seats", "xx.firds"
MARKET = ProfileSources({CHANNEL: REGISTER}, frozenset({SEATS}))
FIELDS = ("name", "sni_code", "municipality", "county")
MOVED = {
    "municipality": "Oulu",
    "municipality_code": "564",
    "county": "Pohjois-Pohjanmaa",
    "address_lines": ["Tie 2"],
    "postal_code": "90100",
    "post_town": "OULU",
}
Values = dict[str, Any]


def sources(*stated: tuple[str, tuple[str, ...]]) -> str:
    """The JSON of a profile's `sources`: datasets and what each states."""
    return json.dumps(
        [
            {
                "register": register,
                "native_id": "1",
                "url": None,
                "retrieved_at": "2026-01-02T03:04:05Z",
                "fields": names,
            }
            for register, names in stated
        ]
    )


def profile(**values: Any) -> Values:
    plain = {
        "industry_code": "62010",
        "industry_scheme": "TOL2008",
        "municipality": "Tampere",
        "municipality_code": "837",
        "county": "Pirkanmaa",
        "legal_form_code": "16",
        "legal_form_label": "Limited company",
        "address_lines": ["Katu 1"],
        "postal_code": "33100",
        "post_town": "TAMPERE",
        "address_country": "FI",
        "sources": sources((REGISTER, FIELDS)),
    }
    return company(**(plain | values))


def occasion(**values: Any) -> EmissionContext:
    baselines = dict.fromkeys((REGISTER, CHANNEL, OTHER, SEATS, MARKETPLACE), DAY_1)
    return EmissionContext(
        **({"instant": DAY_2, "known_at": DAY_2, "baselines": baselines, "profile_sources": MARKET} | values)
    )


def told(
    before: Values,
    after: Values,
    on: EmissionContext | None = None,
    listings: tuple[list[Values], list[Values]] | None = None,
) -> list[dict[str, Any]]:
    """The events of type company.changed between two profiles, with the listings before and after."""
    former, now = world(companies=[profile(**before)]), world(companies=[profile(**after)])
    found: dict[str, Any] = dict(differences(former, now))
    snapshot = whole(now)
    rows = [frame(LISTINGS, *one) for one in listings or ([], [])]
    found["listings"], snapshot["listings"] = difference(LISTINGS, *rows), rows[1]
    events = build_event_rows(found, snapshot, on or occasion()).to_dicts()
    return [event for event in events if event["event_type"] == "company.changed"]


def changed(before: Values, after: Values, on: EmissionContext | None = None) -> list[list[str]]:
    """The names of the changed fields of each event."""
    return [[one["field"] for one in data(event)["change"]["changes"]] for event in told(before, after, on)]


def test_company_changed_is_spelled_as_the_contract_says() -> None:
    [event] = told({}, {"name": "Toinen Oy", "industry_code": "62020"})
    fields = ("name", "sni_code")
    assert event["event_id"] == ids.company_changed_id(COMPANY, fields, None, DAY_2)
    assert event["event_id"] == ids.natural_id("evt", "company.changed", COMPANY, "name,sni_code", None, DAY_2)
    assert (event["known_at"], event["occurred_at"]) == (DAY_2, DAY_2)
    assert event["data"] == (
        '{"company_id":"firm:FI:0000001-9","org_nr":"0000001-9","name":"Toinen Oy","country":"FI",'
        '"occurred_at":"2026-01-02T00:00:00Z",'
        '"source":{"register":"xx.register","native_id":"1","url":null,"retrieved_at":"2026-01-02T03:04:05Z"},'
        '"change":{"changes":[{"field":"name","previous":"Yhtiö Oy","current":"Toinen Oy"},'
        '{"field":"sni_code","previous":"62010","current":"62020"}],"effective_date":null}}'
    )


def test_address_has_the_members_of_the_profile_part() -> None:
    [event] = told({}, {"address_lines": ["Katu 2", "c/o Toinen"]})
    assert data(event)["change"]["changes"] == [
        {
            "field": "address",
            "previous": {"lines": ["Katu 1"], "postal_code": "33100", "post_town": "TAMPERE", "country": "FI"},
            "current": {
                "lines": ["Katu 2", "c/o Toinen"],
                "postal_code": "33100",
                "post_town": "TAMPERE",
                "country": "FI",
            },
        }
    ]


@check_cases(
    ("after", "fields"),
    [
        ({"name": "Toinen Oy"}, ["name"]),
        ({"name": "Yhtiö 2 Oy"}, ["name"]),
        ({"industry_code": "62020"}, ["sni_code"]),
        ({"legal_form_code": "17", "legal_form_label": "Public limited company"}, ["legal_form_code"]),
        ({"address_lines": ["Katu 11"]}, ["address"]),
        ({"address_country": "SE"}, ["address"]),
        ({"post_town": "TURKU", "postal_code": "20100"}, ["address"]),
        (MOVED, ["municipality", "county", "address"]),
        (
            MOVED | {"name": "Toinen Oy", "industry_code": "1"},
            ["name", "sni_code", "municipality", "county", "address"],
        ),
        # a city and a state, without codes of municipalities
        (MOVED | {"municipality_code": None, "municipality": "TAMPERE"}, ["county", "address"]),
    ],
)
def test_what_a_register_states_otherwise_is_told(after: Values, fields: list[str]) -> None:
    before = {"municipality_code": None} if after.get("municipality_code", "") is None else {}
    assert changed(before, after) == [fields]
    assert fields == [one for one in PROFILE_FIELDS if one in fields]


@check_cases(
    ("before", "after"),
    [
        # spelling
        ({}, {"name": "YHTIÖ OY"}),
        ({}, {"name": "Yhtio  Oy."}),
        ({"name": "Å/S Bjørn & Co"}, {"name": "AS BJORN CO"}),
        ({"name": "! !"}, {"name": "!  !"}),
        ({}, {"municipality": "TAMPERE"}),
        ({}, {"address_lines": ["katu", "1"], "post_town": "Tampere"}),
        # no name
        ({}, {"name": "0000001-9"}),
        ({"name": "0000001-9"}, {}),
        ({}, {"name": ERASED}),
        ({"name": ERASED}, {}),
        # recoded lists
        ({}, {"industry_code": "62100", "industry_scheme": "TOL2025"}),
        ({"industry_scheme": None}, {"industry_code": "62100", "industry_scheme": None}),
        ({}, {"legal_form_code": "OY"}),
        ({}, {"legal_form_code": "17", "legal_form_label": None}),
        ({}, {"municipality": "Suur-Tampere", "municipality_code": "999"}),
        ({}, {"county": "Häme", "municipality_code": "999"}),
        ({}, {"post_town": "MANSE"}),
        ({}, {"postal_code": "33101"}),
        # unknown before or after
        ({}, {"industry_code": None, "industry_scheme": None}),
        ({"industry_code": None, "industry_scheme": None}, {}),
        ({}, {"municipality": None, "county": None, "municipality_code": None}),
        ({}, dict.fromkeys(("address_lines", "postal_code", "post_town", "address_country"))),
        (dict.fromkeys(("address_lines", "postal_code", "post_town", "address_country", "municipality")), MOVED),
        ({"address_lines": None}, {}),
        ({"address_country": None}, {}),
        ({"legal_form_code": None, "legal_form_label": None}, {}),
        # nothing that the event names
        ({}, {"employees": 3, "website": "x.fi", "industry_label": "Toinen", "status_detail": "no_trading"}),
    ],
)
def test_what_only_looks_like_a_change_is_not_told(before: Values, after: Values) -> None:
    assert changed(before, after) == []


def test_county_that_is_redrawn_while_a_company_moves_inside_its_municipality_is_not_told() -> None:
    assert changed({}, {"county": "Häme", "municipality_code": "999", "address_lines": ["Tie 3"]}) == [["address"]]


def test_municipalities_that_differ_in_an_accent_are_two() -> None:
    before = {"municipality": "Habo", "municipality_code": "0643", "county": "Jönköping"}
    after = MOVED | {"municipality": "Håbo", "municipality_code": "0305", "county": "Uppsala"}
    assert changed(before, after) == [["municipality", "county", "address"]]
    assert changed(before, {**before, "municipality": "Håbo"}) == []


def by(register: str, **origins: Any) -> Values:
    return {"sources": sources((register, FIELDS)), "field_origins": json.dumps(origins) if origins else None}


@check_cases(
    ("before", "after", "fields"),
    [
        (by(REGISTER), by(CHANNEL), ["name", "address"]),
        (by(CHANNEL), by(REGISTER), ["name", "address"]),
        (by(REGISTER), by(OTHER), []),
        ({"sources": sources((REGISTER, FIELDS), (OTHER, ("name",)))}, by(REGISTER), []),
        ({"sources": "[]"}, by(REGISTER), []),
        ({"sources": None}, by(REGISTER), []),
        (by(REGISTER), by(REGISTER, address={"register": OTHER}), ["name"]),
        (by(REGISTER, address={"register": OTHER}), by(REGISTER), ["name"]),
        (by(REGISTER, address={"register": OTHER}), by(REGISTER, address={"register": OTHER}), ["name", "address"]),
        (by(REGISTER, name={"register": OTHER}), by(REGISTER), ["address"]),
    ],
)
def test_another_source_that_wins_is_no_change(before: Values, after: Values, fields: list[str]) -> None:
    found = changed(before, after | {"name": "Toinen Oy", "address_lines": ["Tie 2"]})
    assert found == ([fields] if fields else [])


def seated(*places: str) -> Values:
    return {"sources": sources((REGISTER, FIELDS), *((place, ("municipality", "county")) for place in places))}


def test_seat_that_a_register_states_changes_without_the_address() -> None:
    place = {"municipality": "Oulu", "municipality_code": "564", "county": "Pohjois-Pohjanmaa"}
    [event] = told(seated(SEATS), seated(SEATS) | place)
    assert [one["field"] for one in data(event)["change"]["changes"]] == ["municipality", "county"]
    assert data(event)["source"]["register"] == SEATS
    # from the post code to the seat, and back: another source
    assert changed(seated("xx.postcodes"), seated(SEATS) | place) == []
    assert changed(seated(SEATS), seated("xx.postcodes") | place) == []


def dated(**days: str) -> Values:
    return {"field_origins": json.dumps({name: {"date": day} for name, day in days.items()})}


@check_cases(
    ("before", "after", "effective"),
    [
        (None, "2025-12-30", "2025-12-30"),
        ("2001-01-01", "2025-12-30", "2025-12-30"),
        ("2025-12-30", "2025-12-30", None),  # the day of the former value
        ("2001-01-01", "2062-01-01", None),  # a day to come
        ("2001-01-01", None, None),
    ],
)
def test_effective_date_is_the_registers_day_of_the_new_value(
    before: str | None, after: str | None, effective: str | None
) -> None:
    states = [{} if day is None else dated(name=day) for day in (before, after)]
    [event] = told(states[0], states[1] | {"name": "Toinen Oy"})
    assert data(event)["change"]["effective_date"] == effective
    assert data(event)["occurred_at"] == f"{effective or '2026-01-02'}T00:00:00Z"
    day = None if effective is None else date.fromisoformat(effective)
    assert event["event_id"] == ids.company_changed_id(COMPANY, ("name",), day, DAY_2)


def test_fields_that_registers_date_differently_are_two_events() -> None:
    found = told({}, MOVED | {"name": "Toinen Oy"} | dated(name="2025-12-01", address="2025-12-30"))
    days = [(data(one)["change"]["effective_date"], len(data(one)["change"]["changes"])) for one in found]
    assert sorted(days) == [("2025-12-01", 1), ("2025-12-30", 3)]
    assert len({one["event_id"] for one in found}) == 2


def test_first_load_of_a_source_and_an_unknown_company_are_silent() -> None:
    after = {"name": "Toinen Oy"}
    assert changed({}, after, occasion(baselines={REGISTER: DAY_2})) == []
    assert changed({}, after, occasion(baselines={})) == []
    assert changed({}, after, occasion(baselines={REGISTER: DAY_1}, first_loads={REGISTER: DAY_3})) == []
    former, now = world(companies=[profile()]), world(companies=[profile(**after)])
    found = differences(former, now)
    found["companies"].known = found["companies"].known.clear()
    assert build_event_rows(found, whole(now), occasion()).is_empty()


def test_late_arriving_file_that_changes_what_is_served_is_told() -> None:
    late = occasion(late_arriving_datasets=frozenset({REGISTER}))
    assert changed({}, {"name": "Toinen Oy"}, late) == [["name"]]


def test_same_change_learned_again_has_the_same_id_and_at_another_instant_another() -> None:
    after = {"name": "Toinen Oy"}
    first, again = (told({}, after)[0]["event_id"] for _ in range(2))
    later = told({}, after, occasion(known_at=DAY_2 + timedelta(microseconds=1)))[0]["event_id"]
    assert first == again != later


# is_listed


def listing(**values: Any) -> Values:
    plain = {
        "company_id": COMPANY,
        "register": MARKETPLACE,
        "native_id": "SE0000000001/XSTO",
        "exchange_mic": "XSTO",
        "valid_from": date(2026, 1, 2),
        "observed_at": DAY_2,
    }
    return plain | values


LISTED: Mapping[str, Any] = {"is_listed": True, "is_listed_source": MARKETPLACE}
UNLISTED: Mapping[str, Any] = {"is_listed": False, "is_listed_source": MARKETPLACE}
UNKNOWN: Mapping[str, Any] = {"is_listed": False, "is_listed_source": None}
OLD = listing(valid_from=date(2010, 1, 1))
ENDED = listing(valid_from=date(2010, 1, 1), ended_on=date(2026, 1, 2))


def listed(before: Mapping[str, Any], after: Mapping[str, Any], rows: tuple[list[Values], list[Values]]) -> list[Any]:
    return [
        (one["previous"], one["current"], data(event)["change"]["effective_date"], data(event)["source"]["native_id"])
        for event in told(dict(before), dict(after), listings=rows)
        for one in data(event)["change"]["changes"]
    ]


@pytest.mark.parametrize(
    ("before", "after", "rows", "told_day"),
    [
        (UNKNOWN, LISTED, ([], [listing()]), "2026-01-02"),
        (UNLISTED, LISTED, ([ENDED], [ENDED, listing(native_id="SE2/XSTO")]), "2026-01-02"),
        (UNLISTED, LISTED, ([], [listing(valid_from=None)]), None),
        (LISTED, UNLISTED, ([OLD], [ENDED]), "2026-01-02"),
        (LISTED, UNLISTED, ([ENDED], [ENDED]), "2026-01-02"),  # an end known before it comes
        (
            LISTED | {"is_listed_source": REGISTER},
            UNLISTED | {"is_listed_source": MARKETPLACE},
            ([], [ENDED]),
            "2026-01-02",
        ),
    ],
)
def test_listing_that_begins_or_ends_is_told(
    before: Values, after: Values, rows: tuple[list[Values], list[Values]], told_day: str | None
) -> None:
    earlier = {"observed_at": DAY_1}
    [(previous, current, effective, native)] = listed({**before, **earlier}, after, rows)
    assert (previous, current, effective) == (before["is_listed"], after["is_listed"], told_day)
    assert native in {row["native_id"] for row in rows[1]}


@check_cases(
    ("before", "after", "rows"),
    [
        (UNKNOWN, LISTED, ([], [OLD])),  # first known of a share admitted long ago
        (UNKNOWN, LISTED, ([], [listing(valid_from=None)])),
        (UNKNOWN, LISTED, ([], [])),  # without a listing: a rule decided
        (LISTED, UNKNOWN, ([OLD], [])),  # evidence is lost
        (LISTED, UNLISTED | {"is_listed_source": OTHER}, ([OLD], [])),
        (LISTED, UNLISTED | {"status": "dissolved"}, ([OLD], [OLD])),
        (LISTED, UNLISTED | {"status": "dissolved"}, ([OLD], [ENDED])),  # told by status.changed
        (UNLISTED | {"status": "dissolved"}, LISTED, ([OLD], [OLD])),
        (LISTED, UNLISTED, ([OLD], [OLD])),  # an annual report is too old
        (LISTED, LISTED | {"is_listed_source": OTHER}, ([OLD], [OLD, listing(register=OTHER)])),
    ],
)
def test_rule_about_listings_that_decides_otherwise_is_not_told(
    before: Values, after: Values, rows: tuple[list[Values], list[Values]]
) -> None:
    assert listed(before, after, rows) == []


def test_first_load_of_listings_is_silent() -> None:
    baselines: dict[str, datetime] = {REGISTER: DAY_1, MARKETPLACE: DAY_2}
    rows: tuple[list[Values], list[Values]] = ([], [listing(valid_from=date(2026, 1, 2))])
    assert told(dict(UNKNOWN), dict(LISTED), occasion(baselines=baselines), rows) == []
