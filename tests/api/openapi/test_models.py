"""Response models are true: what is served decodes strictly into them, without a key that they do not declare."""

import json

import pytest
from pydantic import ValidationError

from api.accounts.routes import Usage
from api.companies.schemas import companies, events, markets
from api.openapi.examples import DELIVERIES
from api.openapi.problem_responses import Problem
from api.webhooks.subscriptions.models import EventTypeList, SubscriptionList
from tests.tables import check_cases


@pytest.fixture(scope="module")
def service(shared_service):
    return shared_service


@check_cases(
    ("model", "path"),
    [
        (companies.Company, "/api/v1/companies/5599999991"),
        (companies.Company, "/api/v1/companies/5599999991?include=detail,identifiers,address,sources"),
        (companies.Company, "/api/v1/us/companies/9999999999"),
        (companies.CompanySelection, "/api/v1/companies/5599999991?fields=name"),
        (companies.CompanyList, "/api/v1/companies"),
        (companies.CompanyList, "/api/v1/companies?limit=1&fields=name"),
        (companies.CompanyList, "/api/v1/companies?industry=9999&country=SE"),
        (companies.FinancialsList, "/api/v1/companies/999999999/financials?include=sources,history"),
        (companies.OwnershipList, "/api/v1/companies/5599999991/ownership"),
        (companies.OwnershipList, "/api/v1/companies/99999999/ownership"),
        (events.EventList, "/api/v1/companies/999999999/events?order=asc"),
        (markets.MarketList, "/api/v1/markets"),
        (markets.MarketList, "/api/v1/markets?include=reconciliation"),
        (Usage, "/api/v1/usage"),
        (SubscriptionList, "/api/v1/webhooks"),
        (EventTypeList, "/api/v1/event-types"),
        (Problem, "/api/v1/companies?limit=0&x=1"),
        (Problem, "/api/v1/companies/5599999992"),
    ],
)
def test_served_bytes_decode_strictly_into_their_model(service, model, path):
    served = service.get(path).content
    model.model_validate_json(served, strict=True, extra="forbid")
    with pytest.raises(ValidationError, match="Extra inputs are not permitted"):
        model.model_validate_json(served[:-1] + b',"unknown":1}', strict=True, extra="forbid")


@pytest.mark.parametrize("event_type", DELIVERIES)
def test_a_delivery_decodes_strictly_into_its_model(event_type):
    body = json.dumps(DELIVERIES[event_type])
    events.KINDS[event_type].webhook.model_validate_json(body, strict=True, extra="forbid")
