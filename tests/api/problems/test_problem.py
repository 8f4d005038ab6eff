"""Every problem of the contract is made at least once over HTTP, and is the contract's example of it.

See docs/contract/contract.md 4.10.
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from api.openapi import problem_responses
from api.problems.problem import KINDS
from api.settings.tiers import DEFAULT, read_tiers
from tests.api.problems import webhook_problems
from tests.tables import check_cases

PUBLIC_URL = "https://api.example.com"
COMPANIES = "/api/v1/companies"
COMPANY = f"{COMPANIES}/5599999991"
ROOT = Path(__file__).resolve().parents[3]
CONTRACT = ROOT / "docs" / "contract" / "contract.md"

# What an occurrence may say otherwise than the example: dates, amounts and ids.
OCCURRENCE = {
    "export_not_available": {"detail"},
    "range_not_satisfiable": {"detail"},
    "revoked_api_key": {"detail"},
    "expired_api_key": {"detail"},
    "payment_required": {"detail"},
    "quota_exceeded": {"detail", "retry_after"},
    "service_unavailable": {"detail", "retry_after"},
    "watchlist_in_use": {"detail", "subscription_ids"},
}


@pytest.fixture(scope="module")
def service(shared_service):
    return shared_service


@dataclass
class Scene:
    """Where problems are made."""

    serve: Any
    world: Any
    make: Any

    @property
    def service(self):
        return self.serve(self.world)

    def get(self, path: str, **headers: str):
        return self.service.get(path, **headers)

    def with_key(self, kind: str = "live", headers: dict | None = None, path: str = COMPANY, **more: Any):
        """Asks with a new key of its own kind."""
        service = self.service
        key = service.accounts.create_key("owner@example.com", kind, **more).key
        return service.client.get(path, headers={"Authorization": f"Bearer {key}"} | (headers or {}))

    def with_status(self, status: str):
        service = self.service
        service.accounts.set_status("owner@example.com", status)
        return service.get(COMPANY)

    def with_body(self, content: bytes, media_type: str):
        service = self.service
        headers = service.headers | {"Content-Type": media_type}
        return service.client.request("GET", COMPANY, headers=headers, content=content)


def revoked(scene: Scene):
    service = scene.service
    made = service.accounts.create_key("owner@example.com", "live")
    service.accounts.revoke_key(made.key_id)
    return service.client.get(COMPANY, headers={"Authorization": f"Bearer {made.key}"})


def expired(scene: Scene):
    service = scene.service
    now = service.accounts.create_key("owner@example.com", "live")
    at = next(key for key in service.accounts.keys("owner@example.com") if key.key_id == now.key_id).created_at
    key = service.accounts.create_key("owner@example.com", "live", expires_at=at + timedelta(seconds=1)).key
    service.hands.seconds += 1
    return service.client.get(COMPANY, headers={"Authorization": f"Bearer {key}"})


def cursor_of_another_query(scene: Scene):
    service = scene.service
    cursor = service.get(f"{COMPANIES}?limit=1").json()["next_cursor"]
    return service.get(f"{COMPANIES}?limit=1&country=SE&cursor={cursor}")


def old_cursor(scene: Scene):
    service = scene.service
    cursor = service.get(f"{COMPANIES}?limit=1").json()["next_cursor"]
    service.hands.seconds += 7 * 24 * 3600 + 1
    return service.get(f"{COMPANIES}?limit=1&cursor={cursor}")


def too_fast(scene: Scene):
    service = scene.serve(scene.world, tiers=DEFAULT)
    answers = [service.get(COMPANY) for _ in range(DEFAULT.by_name["pro"].burst_capacity + 1)]
    assert {answer.status_code for answer in answers[:-1]} == {200}
    return answers[-1]


def too_much(scene: Scene):
    service = scene.serve(scene.world, tiers=read_tiers({"tiers": {"pro": {"monthly_requests": 1}}}))
    assert service.get(COMPANY).status_code == 200
    return service.get(COMPANY)


class Broken:
    """A reader whose disk is gone."""

    def pin_release(self):
        raise OSError("disk gone")


SCENES: dict[tuple[str, int], Callable[[Scene], Any]] = {
    ("invalid_parameter", 400): lambda on: on.get(f"{COMPANIES}?limit=0"),
    ("unknown_parameter", 400): lambda on: on.get(f"{COMPANIES}?coutry=SE"),
    ("duplicate_parameter", 400): lambda on: on.get(f"{COMPANIES}?limit=1&limit=2"),
    ("api_key_in_url", 400): lambda on: on.get(f"{COMPANIES}?api_key=firm_live_x"),
    ("invalid_org_number", 400): lambda on: on.get(f"{COMPANIES}/12ab"),
    ("invalid_cursor", 400): lambda on: on.get(f"{COMPANIES}?cursor=AAAA"),
    ("cursor_mismatch", 400): cursor_of_another_query,
    ("cursor_expired", 400): old_cursor,
    ("market_not_available", 400): lambda on: on.get(f"{COMPANIES}?country=DK"),
    ("missing_api_key", 401): lambda on: on.service.client.get(COMPANY),
    ("invalid_api_key", 401): lambda on: on.get(COMPANY, Authorization="Bearer firm_live_x"),
    ("revoked_api_key", 401): revoked,
    ("expired_api_key", 401): expired,
    ("payment_required", 402): lambda on: on.with_status("payment_required"),
    ("key_kind_not_allowed", 403): lambda on: on.with_key(
        "public", {"Origin": "https://good.example"}, "/api/v1/usage", domains=["good.example"]
    ),
    ("origin_required", 403): lambda on: on.with_key("public", domains=["good.example"]),
    ("origin_not_allowed", 403): lambda on: on.with_key(
        "public", {"Origin": "https://evil.example"}, domains=["good.example"]
    ),
    ("account_suspended", 403): lambda on: on.with_status("suspended"),
    ("route_not_found", 404): lambda on: on.get("/api/v1/company/5599999991"),
    ("company_not_found", 404): lambda on: on.get(f"{COMPANIES}/5599999992"),
    ("company_not_known_then", 404): lambda on: on.get(f"{COMPANY}/ownership?as_of=1900-01-01"),
    ("unknown_market", 404): lambda on: on.get("/api/v1/de/companies/5599999991"),
    ("market_not_available", 404): lambda on: on.get("/api/v1/dk/companies/24256790"),
    ("not_acceptable", 406): lambda on: on.get(COMPANY, Accept="text/html"),
    ("payload_too_large", 413): lambda on: on.with_body(b"a" * 65537, "application/json"),
    ("uri_too_long", 414): lambda on: on.get(f"{COMPANIES}?q=" + "a" * 8200),
    ("unsupported_media_type", 415): lambda on: on.with_body(b"{}", "text/plain"),
    ("rate_limited", 429): too_fast,
    ("quota_exceeded", 429): too_much,
    ("headers_too_large", 431): lambda on: on.get(COMPANY, **{"X-Large": "a" * 17000}),
    ("internal_error", 500): lambda on: on.serve(on.world, Broken()).get(COMPANY),
    ("service_unavailable", 503): lambda on: on.serve(on.make().world).get(COMPANY),
} | webhook_problems.SCENES
OF_CONNECTIONS = {("malformed_request", 400), ("request_timeout", 408)}  # tests/api/runtime/test_http_protocol.py
HEADERS = {401: {"www-authenticate"}, 405: {"allow"}, 429: {"retry-after"}, 503: {"retry-after"}}
RETRIED = {"idempotency_in_progress"}  # the one 409 that says when to come again


@pytest.fixture
def scene(serve, world, make):
    return Scene(serve, world, make)


def example(code, status):
    return problem_responses.examples_of_status(status, PUBLIC_URL)[code]


@pytest.mark.parametrize(("code", "status"), SCENES)
def test_every_problem_example_produced_at_least_once(scene, code, status):
    answer = SCENES[code, status](scene)
    body, expected = answer.json(), example(code, status)
    assert answer.status_code == status, body
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["cache-control"] == "no-store"
    assert body["request_id"] == answer.headers["x-request-id"]
    assert body["instance"] == f"/requests/{body['request_id']}"
    assert list(body) == list(expected)
    apart = {"request_id", "instance"} | OCCURRENCE.get(code, set())
    assert {name: body[name] for name in body if name not in apart} == {
        name: expected[name] for name in expected if name not in apart
    }
    assert set(answer.headers) >= HEADERS.get(status, set())
    assert ("retry-after" in answer.headers) == (status in {429, 503} or code in RETRIED)
    if "retry_after" in body:
        assert body["retry_after"] == int(answer.headers["retry-after"]) > 0


@pytest.mark.parametrize(
    ("code", "status"), [("revoked_api_key", 401), ("expired_api_key", 401), ("quota_exceeded", 429)]
)
def test_details_of_an_occurrence_are_like_the_examples(scene, code, status):
    """Dates and numbers aside; the other examples are of other causes or resources."""
    detail = SCENES[code, status](scene).json()["detail"]
    assert _shape(detail) == _shape(example(code, status)["detail"])


def _shape(text):
    return re.sub(r"\d+", "0", text)


def test_every_kind_has_its_scene():
    told = {(kind.code, status) for kind in KINDS.values() for status in (kind.status, *kind.other_statuses)}
    assert told == set(SCENES) | OF_CONNECTIONS


@check_cases("kind", KINDS.values(), ids=[kind.slug for kind in KINDS.values()])
def test_every_type_leads_to_its_page(service, kind):
    page = service.client.get(f"/problems/{kind.slug}")
    assert page.status_code == 200
    body = page.json()
    assert list(body) == ["type", "code", "title", "statuses", "explanation", "fix"]
    assert (body["code"], body["title"]) == (kind.code, kind.title)
    assert body["statuses"] == [kind.status, *kind.other_statuses]
    assert body["explanation"]
    assert body["fix"]
    if body["type"].startswith(PUBLIC_URL):
        assert body["type"] == f"{PUBLIC_URL}/problems/{kind.slug}"
    else:
        assert body["type"] == "https://iana.org/assignments/http-problem-types#quota-exceeded"
    tag = page.headers["etag"]
    assert service.client.get(f"/problems/{kind.slug}", headers={"If-None-Match": tag}).status_code == 304
    assert "authorization" not in page.request.headers


def test_our_examples_are_the_contracts():
    section = CONTRACT.read_text().split("## 4.10 Errors")[1].split("\n## ")[0]
    blocks = [json.loads(block) for block in re.findall(r"```json\n(.*?)\n```", section, re.DOTALL)]
    assert len(blocks) == len({(block["code"], block["status"]) for block in blocks})
    for block in blocks:
        ours = example(block["code"], block["status"])
        assert ours == block
        assert list(ours) == list(block)
    assert {block["code"] for block in blocks} == set(KINDS)
