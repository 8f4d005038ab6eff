"""Filters of subscriptions over HTTP: made, read, merged, ended; what is wrong with them; on both engines.

See docs/contract/contract.md 4.8c.
"""

import threading

import pytest
from sqlalchemy import select

from api.database.models.webhooks import Subscription, SubscriptionSelector
from tests.tables import check_cases

ALL = "/api/v1/webhooks"
GOOD = {"endpoint_url": "https://hooks.example.com/company-events", "event_types": ["status.changed"]}
EVERY = {
    "countries": ["SE", "UK"],
    "industries": ["62", "6201"],
    "industry_scheme": "SNI2025",
    "is_listed": False,
    "ownership": {"min_change_pct": 2.5, "thresholds": [10, 50]},
    "changed_fields": ["revenue", "legal_form_code"],
}
TYPES = ["filing.updated", "ownership.changed"]


@pytest.fixture
def service(serve, world, control_url):
    return serve(world, database_url=control_url)


def send(service, method, path, body=None, **headers):
    return service.client.request(method, path, headers=service.headers | headers, json=body)


def make(service, filters=None, **members):
    answer = send(service, "POST", ALL, GOOD | {"filters": filters} | members)
    assert answer.status_code == 201, answer.text
    return answer


def watchlist(service):
    answer = send(service, "POST", "/api/v1/watchlists", {"name": "Suppliers"})
    return answer.json()["id"]


def selectors(service):
    with service.database.reading() as session:
        return sorted(session.scalars(select(SubscriptionSelector.selector)))


def test_filters_are_made_read_and_merged(service):
    answer = make(service, EVERY, event_types=TYPES)
    path, made = answer.headers["location"], answer.json()
    assert (made["filters"], made["warnings"]) == (EVERY, [])
    assert service.get(path).json()["filters"] == service.get(ALL).json()["data"][0]["filters"] == EVERY
    for patch, expected in (
        ({"countries": ["NO"], "is_listed": None}, {"countries": ["NO"], "is_listed": None}),
        ({"ownership": {"thresholds": None}}, {"ownership": {"min_change_pct": 2.5}}),
        ({"ownership": {"min_change_pct": 5.0, "thresholds": [20]}}, {"ownership": {"min_change_pct": 5, "thresholds": [20]}}),
        ({"ownership": None, "changed_fields": None, "industries": None}, dict.fromkeys(["ownership", "changed_fields", "industries"])),
    ):  # fmt: skip
        made["filters"] = {name: one for name, one in (made["filters"] | expected).items() if one is not None}
        changed = send(service, "PATCH", path, {"filters": patch})
        assert (changed.status_code, changed.json()["filters"]) == (200, made["filters"])
    tag = service.get(path).headers["etag"]
    same = send(service, "PATCH", path, {"filters": {"countries": ["NO"]}})
    assert same.headers["etag"] == tag, "nothing changed"
    assert send(service, "PATCH", path, {"description": "x"}).json()["filters"] == made["filters"]
    for none in ({}, None, {"countries": None, "industry_scheme": None}):
        send(service, "PATCH", path, {"filters": {"countries": ["NO"]}})
        assert send(service, "PATCH", path, {"filters": none}).json()["filters"] is None
    assert selectors(service) == []


def test_spellings_become_one(service):
    filters = {"countries": ["GB", "UK"], "industries": ["62.01"], "industry_scheme": "UKSIC2007",
               "ownership": {"min_change_pct": 5.0, "thresholds": [50.0, 5]}, "is_listed": None}  # fmt: skip
    made = make(service, filters, event_types=TYPES).json()
    assert made["filters"] == {
        "countries": ["UK"],
        "industries": ["6201"],
        "industry_scheme": "UKSIC2007",
        "ownership": {"min_change_pct": 5, "thresholds": [5, 50]},
    }
    assert '"min_change_pct":5,' in send(service, "GET", f"{ALL}/{made['id']}").text
    for none in (None, {}, {"ownership": {}}, {"ownership": {"thresholds": None}, "countries": None}):
        assert make(service, none).json()["filters"] is None


@check_cases(
    ("filters", "errors"),
    [
        ([], [("type", "")]),
        ({"countries": []}, [("empty_array", "/countries")]),
        ({"industries": []}, [("empty_array", "/industries")]),
        ({"changed_fields": []}, [("empty_array", "/changed_fields")]),
        ({"ownership": {"thresholds": []}}, [("empty_array", "/ownership/thresholds")]),
        ({"contries": ["SE"]}, [("unknown_member", "/contries")]),
        ({"ownership": {"treshold": 1}}, [("unknown_member", "/ownership/treshold")]),
        ({"countries": "SE"}, [("type", "/countries")]),
        ({"countries": ["SE", "SE", "de", "DK", 7]}, [
            ("duplicate", "/countries/1"), ("unknown_value", "/countries/2"), ("market_not_available", "/countries/3"),
            ("unknown_value", "/countries/4")]),
        ({"industries": ["IT", "6201011", 62]}, [
            ("format", "/industries/0"), ("format", "/industries/1"), ("type", "/industries/2")]),
        ({"industries": ["1"] * 51}, [("too_many", "/industries")]),
        ({"industries": ["62"]}, [("missing", "/industry_scheme")]),
        ({"industries": ["62"], "countries": ["US", "SE"]}, [("missing", "/industry_scheme")]),
        ({"industry_scheme": "NACE"}, [("unknown_value", "/industry_scheme")]),
        ({"is_listed": "yes"}, [("type", "/is_listed")]),
        ({"ownership": 5}, [("type", "/ownership")]),
        ({"ownership": {"min_change_pct": -1}}, [("out_of_range", "/ownership/min_change_pct")]),
        ({"ownership": {"min_change_pct": 100.5}}, [("out_of_range", "/ownership/min_change_pct")]),
        ({"ownership": {"min_change_pct": 1.00001}}, [("format", "/ownership/min_change_pct")]),
        ({"ownership": {"min_change_pct": "5"}}, [("type", "/ownership/min_change_pct")]),
        ({"ownership": {"min_change_pct": True}}, [("type", "/ownership/min_change_pct")]),
        ({"ownership": {"thresholds": [5, 25, True, "5"]}}, [
            ("unknown_value", f"/ownership/thresholds/{place}") for place in (1, 2, 3)]),
        ({"ownership": {"thresholds": [5, 5.0]}}, [("duplicate", "/ownership/thresholds")]),
        ({"changed_fields": ["revenu", "name"]}, [("unknown_value", "/changed_fields/0")]),
        ({"watchlist_id": "wl_1"}, [("format", "/watchlist_id")]),
        ({"watchlist_id": 5}, [("type", "/watchlist_id")]),
        ({"watchlist_id": "wl_01kaf3w9c8m2v7q4x1z6t5y0r2"}, [("unknown_watchlist", "/watchlist_id")]),
    ],
)  # fmt: skip
def test_what_is_wrong_is_pointed_at(service, filters, errors):
    made = send(service, "POST", ALL, GOOD | {"filters": filters})
    assert (made.status_code, made.json()["code"]) == (422, "validation_failed")
    assert [(one["code"], one["pointer"]) for one in made.json()["errors"]] == [
        (code, f"/filters{pointer}") for code, pointer in errors
    ]


def test_a_change_is_checked_as_a_whole(service):
    """What a patch leaves has to be right as well; everything wrong is told at once."""
    path = make(service, {"industries": ["62"], "countries": ["SE", "NO"]}).headers["location"]
    for patch in ({"countries": None}, {"countries": ["SE", "US"]}):
        refused = send(service, "PATCH", path, {"filters": patch})
        assert [one["pointer"] for one in refused.json()["errors"]] == ["/filters/industry_scheme"]
    both = send(
        service,
        "PATCH",
        path,
        {"filters": {"watchlist_id": "wl_01kaf3w9c8m2v7q4x1z6t5y0r2"}, "endpoint_url": "ftp://x"},
    )
    assert {one["pointer"] for one in both.json()["errors"]} == {"/filters/watchlist_id", "/endpoint_url"}  # fmt: skip
    assert service.get(path).json()["filters"] == {"countries": ["SE", "NO"], "industries": ["62"]}


def test_a_filter_that_concerns_no_chosen_type_is_warned_about(service):
    filters = {"ownership": {"thresholds": [5]}, "changed_fields": ["revenue"]}
    answer = make(service, filters, event_types=["ownership.changed"])
    assert [(one["code"], one["pointer"]) for one in answer.json()["warnings"]] == [
        ("unused_filter", "/filters/changed_fields")
    ]
    changed = send(service, "PATCH", answer.headers["location"], {"event_types": ["filing.updated"]}).json()
    assert [one["pointer"] for one in changed["warnings"]] == ["/filters/ownership"]
    assert send(service, "PATCH", answer.headers["location"], {"description": "x"}).json()["warnings"] == []


def test_selectors_follow_the_settings(service):
    path = make(service, {"countries": ["SE", "NO"]}).headers["location"]
    assert selectors(service) == ["status.changed NO - - -", "status.changed SE - - -"]
    send(
        service,
        "PATCH",
        path,
        {"event_types": ["ownership.changed"], "filters": {"is_listed": True, "countries": None}},
    )
    assert selectors(service) == ["ownership.changed - - listed -"]
    send(service, "PATCH", path, {"entity_ids": ["5599999991"]})
    assert selectors(service) == [], "found by its companies"
    send(service, "PATCH", path, {"entity_ids": None})
    assert selectors(service) == ["ownership.changed - - listed -"]
    assert send(service, "DELETE", path).status_code == 204
    assert selectors(service) == []


def test_a_watchlist_in_use_is_not_deleted(service):
    listed = watchlist(service)
    path = make(service, {"watchlist_id": listed, "is_listed": True}).headers["location"]
    service.hands.seconds += 1
    paused = make(service, {"watchlist_id": listed}, status="paused").headers["location"]
    uses = [one.rsplit("/", 1)[1] for one in (paused, path)]
    refused = send(service, "DELETE", f"/api/v1/watchlists/{listed}")
    assert (refused.status_code, refused.json()["code"]) == (409, "watchlist_in_use")
    assert refused.json()["subscription_ids"] == uses
    assert service.get(path).json()["filters"]["watchlist_id"] == listed
    send(service, "PATCH", path, {"filters": {"watchlist_id": None}})
    assert send(service, "DELETE", f"/api/v1/watchlists/{listed}").json()["subscription_ids"] == uses[:1]
    assert send(service, "DELETE", paused).status_code == 204
    assert send(service, "DELETE", f"/api/v1/watchlists/{listed}").status_code == 204
    assert service.get(path).json()["filters"] == {"is_listed": True}
    refused = send(service, "PATCH", path, {"filters": {"watchlist_id": listed}})
    assert [(one["code"], one["pointer"]) for one in refused.json()["errors"]] == [
        ("unknown_watchlist", "/filters/watchlist_id")
    ]


def test_another_accounts_watchlist_is_unknown(service):
    service.accounts.create_account("other@example.com", "pro")
    key = service.accounts.create_key("other@example.com", "live").key
    listed = watchlist(service)
    refused = service.client.post(
        ALL, headers={"Authorization": f"Bearer {key}"}, json=GOOD | {"filters": {"watchlist_id": listed}}
    )
    assert (refused.status_code, refused.json()["errors"][0]["code"]) == (422, "unknown_watchlist")


def test_a_watchlist_that_is_deleted_meanwhile_is_not_filtered_by(service):
    """Whichever comes second is refused: no subscription is left with a watchlist that is gone."""
    for _ in range(4):
        listed = watchlist(service)
        path = make(service).headers["location"]
        answers = {}

        def work(method, path, body=None, answers=answers):
            answers[method] = send(service, method, path, body).status_code

        threads = [
            threading.Thread(target=work, args=("DELETE", f"/api/v1/watchlists/{listed}")),
            threading.Thread(target=work, args=("PATCH", path, {"filters": {"watchlist_id": listed}})),
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert answers in ({"DELETE": 204, "PATCH": 422}, {"DELETE": 409, "PATCH": 200})
        with service.database.reading() as session:
            found = session.scalars(select(Subscription.watchlist_id).where(Subscription.watchlist_id == listed)).all()
        assert bool(found) == (answers["PATCH"] == 200)
