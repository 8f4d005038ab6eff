"""Markets over HTTP (docs/contract/contract.md 4.8a): every market, how old every dataset is, and its terms."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from warehouse.release.freshness import DatasetCheck
from warehouse.release.manifest import served_manifest, write_manifest, write_pointer
from warehouse.schema.market_state import (
    DatasetState,
    LicenceTerms,
    MarketState,
    QuarantineReason,
    Reconciliation,
    RuleWithoutData,
    UnexplainedStatus,
)

PATH = "/api/v1/markets"
NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
TERMS = LicenceTerms("NLOD-2.0", "https://data.norge.no/nlod/en/2.0", "Contains data under NLOD.")
ORDER = ["US", "SE", "NO", "FI", "UK", "DK"]


def told(made, **states):
    """Lets the newest release of a world say this of its markets."""
    manifest = served_manifest(made.world.layout)
    markets = {**manifest.markets, **states}
    write_manifest(made.world.layout, replace(manifest, markets=markets))
    write_pointer(made.world.layout, manifest.release)


@pytest.fixture
def loaded(make):
    made = make()
    made.publish([made.company("firm:NO:800000001", "EN AS"), made.company("firm:NO:800000002", "TO AS")])
    return made


@pytest.fixture
def norway(loaded):
    """Norway with a dataset that is fresh, one that is held, and one that never came."""
    told(
        loaded,
        NO=MarketState(
            "fresh",
            NOON,
            2,
            {
                "no.regnskap": DatasetState(
                    NOON - timedelta(days=9),
                    held=QuarantineReason("max_shrink", 0.5, 0.02),
                    held_since=NOON,
                    terms=TERMS,
                ),
                "no.enheter": DatasetState(NOON, rows=5, checked_at=NOON, terms=TERMS),
                "no.later": DatasetState(None),
            },
            Reconciliation(
                {"no.enheter": 0, "no.regnskap": 7},
                {"no.enheter": 2, "no.regnskap": 0},
                (RuleWithoutData("no.x", ("no.a", "no.b"), 3),),
                (
                    UnexplainedStatus("konkurs", "dormant", "active", 4, ("firm:NO:800000001",)),
                    UnexplainedStatus("Fjernet", "dissolved", "active", 1),
                ),
            ),
        ),
    )
    return loaded


def of(body, code):
    return next(market for market in body["data"] if market["market"] == code)


def test_every_market_in_the_contracts_order(serve, norway):
    body = serve(norway.world).get(PATH).json()
    assert list(body) == ["data", "next_cursor", "has_more"]
    assert (body["next_cursor"], body["has_more"]) == (None, False)
    assert [market["market"] for market in body["data"]] == ORDER
    assert [market["state"] for market in body["data"]] == ["served"] * 5 + ["announced"]
    assert of(body, "DK") == {
        "market": "DK",
        "name": "Denmark",
        "state": "announced",
        "companies": 0,
        "observed_at": None,
        "datasets": [],
    }
    assert of(body, "SE") == of(body, "DK") | {"market": "SE", "name": "Sweden", "state": "served"}


def test_a_market_says_how_old_its_datasets_are_and_under_what_terms(serve, norway):
    found = of(serve(norway.world).get(PATH).json(), "NO")
    terms = {
        "licence": "NLOD-2.0",
        "licence_url": "https://data.norge.no/nlod/en/2.0",
        "attribution": "Contains data under NLOD.",
    }
    assert found == {
        "market": "NO",
        "name": "Norway",
        "state": "served",
        "companies": 2,
        "observed_at": "2026-11-20T12:00:00Z",
        "datasets": [
            {
                "dataset": "no.enheter",
                "observed_at": "2026-11-20T12:00:00Z",
                "checked_at": "2026-11-20T12:00:00Z",
                "held_since": None,
                **terms,
            },
            {
                "dataset": "no.later",
                "observed_at": None,
                "checked_at": None,
                "held_since": None,
                **dict.fromkeys(terms),
            },
            {
                "dataset": "no.regnskap",
                "observed_at": "2026-11-11T12:00:00Z",
                "checked_at": None,
                "held_since": "2026-11-20T12:00:00Z",
                **terms,
            },
        ],
    }
    assert list(found["datasets"][0]) == [
        "dataset",
        "observed_at",
        "checked_at",
        "held_since",
        "licence",
        "licence_url",
        "attribution",
    ]


def test_markets_with_reconciliation_state_what_is_unaccounted_for(serve, norway):
    service = serve(norway.world)
    body = service.get(f"{PATH}?include=reconciliation").json()
    market, never_loaded = of(body, "NO"), of(body, "SE")
    assert list(market)[-2:] == ["rules_without_data", "unexplained_statuses"]
    assert market["rules_without_data"] == [{"rule": "no.x", "datasets": ["no.a", "no.b"], "undecided": 3}]
    assert market["unexplained_statuses"] == 5
    assert (never_loaded["rules_without_data"], never_loaded["unexplained_statuses"]) == (None, None)
    counts = {one["dataset"]: (one["unlinked_rows"], one["changed_subjects"]) for one in market["datasets"]}
    assert counts == {"no.enheter": (0, 2), "no.later": (None, None), "no.regnskap": (7, 0)}
    answer = service.get(f"{PATH}?include=owners")
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_parameter")


def test_what_a_run_noted_since_the_release_is_told(serve, norway):
    service = serve(norway.world)
    before = service.get(PATH)
    norway.world.releases.record_checks(
        ["NO"],
        NOON + timedelta(days=1),
        {
            "no.enheter": DatasetCheck(NOON + timedelta(days=1, milliseconds=3)),
            "no.regnskap": DatasetCheck(NOON, NOON + timedelta(days=1)),
            "no.unheard": DatasetCheck(NOON),
        },
    )
    after = service.get(PATH)
    enheter, _, regnskap = of(after.json(), "NO")["datasets"]
    assert (enheter["checked_at"], enheter["observed_at"]) == ("2026-11-21T12:00:00Z", "2026-11-20T12:00:00Z")
    assert (regnskap["checked_at"], regnskap["held_since"]) == ("2026-11-20T12:00:00Z", "2026-11-21T12:00:00Z")
    assert before.headers["firm-release"] == after.headers["firm-release"]
    assert before.headers["etag"] != after.headers["etag"]


def test_markets_are_an_answer_as_others(serve, norway):
    service = serve(norway.world)
    plain = {"Accept-Encoding": "identity"}
    answer = service.get(PATH, **plain)
    assert answer.headers["firm-release"] == "1"
    assert answer.headers["cache-control"] == "private, max-age=60, must-revalidate"
    again = service.get(PATH, **{"If-None-Match": answer.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    head = service.client.head(PATH, headers=service.headers | plain)
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["etag"] == answer.headers["etag"]
    assert head.headers["content-length"] == str(len(answer.content))


def test_publishable_keys_may_ask_and_nobody_without_a_key(serve, norway):
    service = serve(norway.world)
    key = service.accounts.create_key("owner@example.com", "public", domains=["example.com"]).key
    headers = {"Authorization": f"Bearer {key}", "Origin": "https://example.com"}
    assert service.client.get(PATH, headers=headers).status_code == 200
    assert service.client.get(PATH).status_code == 401


@pytest.mark.parametrize("query", ["limit=5", "cursor=abc", "country=NO"])
def test_markets_have_no_other_parameters(serve, norway, query):
    answer = serve(norway.world).get(f"{PATH}?{query}")
    assert (answer.status_code, answer.json()["code"]) == (400, "unknown_parameter")


def test_before_the_first_release_there_is_nothing_to_tell(serve, make):
    answer = serve(make().world).get(PATH)
    assert (answer.status_code, answer.json()["code"]) == (503, "service_unavailable")


def test_a_market_that_is_announced_is_not_told_of_though_a_release_may_hold_it(serve, loaded):
    told(loaded, DK=MarketState("fresh", NOON, 7, {"dk.cvr": DatasetState(NOON)}))
    body = serve(loaded.world).get(PATH).json()
    assert (of(body, "DK")["companies"], of(body, "DK")["datasets"]) == (0, [])
