"""The collections, run from top to bottom by the clients' own command lines against a real service."""

import json
from dataclasses import replace
from typing import Any

import pytest

from api.collections.requests import collection_requests
from api.openapi_document import openapi_document
from tests.api.fixtures.release_data import SE
from tests.collections.broken import Answer, Spoil, broken
from tests.collections.clients import Client
from tests.collections.live import Live

pytestmark = pytest.mark.slow
REQUESTS = collection_requests(json.loads(openapi_document("https://api.example.com")))
OF_LARGE_TIERS = 15
"""Requests on subscriptions and events of all companies; the list of event types is for every tier."""


def variables(service: Live, **more: str) -> dict[str, str]:
    return {"base_url": service.base, "key": service.key, "company_id": SE} | more


def test_every_request_is_answered_as_the_document_says(client: Client, service: Live) -> None:
    delivery = service.delivered()
    run = client.run(
        **variables(service, endpoint_url=service.endpoint.url),
        delivery_id=delivery["id"],
        delivery_subscription_id=delivery["subscription_id"],
    )
    assert run.failed == set()
    assert run.exit_code == 0
    assert len(run.requests) == len(run.sent) == len(REQUESTS)
    assert {one.status for one in run.sent} == {200, 201, 202, 204, 304}
    assert all(len(one.passed) >= 2 for one in run.sent)
    assert service.client.delete(f"/api/v1/webhooks/{delivery['subscription_id']}").status_code == 204
    assert service.get("webhooks")["data"] == []  # what the run made is gone


@pytest.mark.parametrize("client", ["newman"], indirect=True)
def test_without_webhooks_and_company_it_runs_all_the_same(client: Client, service: Live) -> None:
    told = {"base_url": service.base, "key": service.basic_key, "endpoint_url": service.endpoint.url}
    run = client.run(is_quick=True, **told)
    assert run.failed == set()
    assert run.exit_code == 0
    # the first company found has neither events nor periods, so that there is no second page of them either
    assert len(REQUESTS) - len(run.sent) == OF_LARGE_TIERS + 1


def repeated(answer: Answer) -> Answer:
    return answer.told(lambda page: page["data"].reverse())


def emptied(*keys: str) -> Spoil:
    """With null in place of members."""
    return lambda answer: answer.told(lambda value: value.update(dict.fromkeys(keys)))


def rows_emptied(key: str) -> Spoil:
    def empty(page: dict[str, Any]) -> None:
        for row in page["data"]:
            row[key] = None

    return lambda answer: answer.told(empty)


PLAIN = {"content-type": "text/plain"}
SPOILT: dict[tuple[str, str], Spoil] = {
    ("GET", "/companies?limit=2"): lambda answer: replace(answer, headers=answer.headers | PLAIN),
    ("GET", "/se/companies/5599999991"): emptied("name"),
    ("GET", "/events?order=asc&limit=2"): repeated,
    ("GET", "/financials?limit=2"): emptied("next_cursor"),
    ("GET", "/ownership"): rows_emptied("holder_id"),
    ("GET", "/markets"): lambda answer: answer.without("etag"),
    ("GET", "/usage"): lambda answer: replace(answer, status=500),
    ("POST", "/rotate"): lambda answer: answer.told(lambda value: value.update(secret="")),
}
NOTICED = {
    ("Search companies", "content type is application/json"),
    ("Get a company profile by market", "fields have their types"),
    ("List events of a company, oldest first", "sequence rises"),
    ("List financials of a company", "a cursor if more rows follow"),
    ("List owners of a company", "fields of rows have their types"),
    ("List markets and data freshness", "headers are there"),
    ("Get usage", "status is 200"),
    ("Rotate the signing secret", "a secret"),
}


def test_a_service_that_breaks_its_word_is_noticed(client: Client, service: Live) -> None:
    with broken(service.base, SPOILT) as base:
        told = variables(service, endpoint_url=service.endpoint.url) | {"base_url": base}
        run = client.run(is_quick=True, **told)
    assert run.failed == NOTICED
    assert run.exit_code != 0
    # no cursor came, so that there is no next page to ask for; nothing was delivered; and the usage told no tier
    left_out = {request.name for request in REQUESTS} - {one.name for one in run.sent}
    assert left_out == {
        "List financials of a company, next page",
        "List bulk files",
        "Get a delivery",
        "Retry a delivery",
    }
