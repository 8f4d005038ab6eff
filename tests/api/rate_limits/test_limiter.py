"""Burst and quota over HTTP: headers, order of checks, 429s, addresses that fail too often."""

import logging
from datetime import UTC, datetime

import http_sf
import pytest

from api.auth import api_keys
from api.rate_limits.limiter import COUNTED
from api.settings.tiers import DEFAULT, read_tiers

COMPANY = "/api/v1/companies/5599999991"
NOW = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
NEXT_MONTH = datetime(2026, 12, 1, tzinfo=UTC)
TO_NEXT_MONTH = int((NEXT_MONTH - NOW).total_seconds())


@pytest.fixture
def limited(serve, world):
    """A service with the contract's own tiers; the account is on pro."""
    return serve(world, tiers=DEFAULT)


@pytest.fixture
def small(serve, world):
    """Five requests a month."""
    return serve(world, tiers=read_tiers({"tiers": {"pro": {"monthly_requests": 5}}}))


def parsed(answer):
    """Both fields as the standard's parser reads them: {policy: {parameter: value}}."""
    fields = [http_sf.parse(answer.headers[name].encode(), tltype="list") for name in ("RateLimit-Policy", "RateLimit")]
    policy, state = [{name: dict(parameters) for name, parameters in field} for field in fields]
    return policy, state


def month_left(answer):
    return int(answer.headers["X-RateLimit-Remaining"])


def test_headers_exactly(limited):
    answer = limited.get(COMPANY)
    assert answer.headers["RateLimit-Policy"] == '"burst";q=50;w=2, "month";q=60000;w=2592000'
    assert answer.headers["RateLimit"] == f'"burst";r=49;t=1, "month";r=59999;t={TO_NEXT_MONTH}'
    assert answer.headers["X-RateLimit-Limit"] == "60000"
    assert answer.headers["X-RateLimit-Remaining"] == "59999"
    assert answer.headers["X-RateLimit-Reset"] == str(int(NEXT_MONTH.timestamp()))
    policy, state = parsed(answer)
    assert policy == {"burst": {"q": 50, "w": 2}, "month": {"q": 60_000, "w": 30 * 86_400}}
    assert state == {"burst": {"r": 49, "t": 1}, "month": {"r": 59_999, "t": TO_NEXT_MONTH}}


@pytest.mark.parametrize("tier", DEFAULT.names)
def test_every_tier_is_told_as_it_is(limited, tier):
    limited.accounts.set_tier("owner@example.com", tier)
    limited.hands.seconds += 31
    policy, state = parsed(limited.get(COMPANY))
    told = DEFAULT.by_name[tier]
    assert policy["burst"] == {"q": told.burst_capacity, "w": 2}
    assert policy["month"]["q"] == told.monthly_requests
    assert state["burst"]["r"] == told.burst_capacity - 1


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        (COMPANY, {}, 200),
        ("/api/v1/companies?limit=0", {}, 400),
        ("/api/v1/companies/5599999983", {}, 404),
        (COMPANY, {"Accept": "text/html"}, 406),
        (COMPANY, {"Content-Type": "text/plain", "Content-Length": "0"}, 200),
        ("/api/v1/usage", {}, 200),
        ("/api/v1/markets", {}, 200),
    ],
)
def test_rate_headers_everywhere_after_authentication(limited, path, headers, status):
    answer = limited.get(path, **headers)
    assert answer.status_code == status
    policy, state = parsed(answer)
    assert set(policy) == set(state) == {"burst", "month"}
    assert state["burst"]["r"] == 49
    assert state["month"]["r"] == (59_999 if status in COUNTED and "companies" in path else 60_000)
    assert state["month"]["r"] == month_left(answer)


def test_not_modified_has_them_and_is_free(limited):
    first = limited.get(COMPANY)
    again = limited.get(COMPANY, **{"If-None-Match": first.headers["ETag"]})
    assert again.status_code == 304
    assert month_left(again) == month_left(first) == 59_999
    assert parsed(again)[1]["burst"]["r"] == 48


def test_head_counts_as_get(limited):
    limited.get(COMPANY)
    assert month_left(limited.client.head(COMPANY, headers=limited.headers)) == 59_998


@pytest.mark.parametrize("path", ["/api/openapi.json", "/healthz", "/problems/rate-limited"])
def test_what_needs_no_key_has_none_and_counts_nothing(limited, path):
    answer = limited.get(path)
    assert answer.status_code == 200
    assert not [name for name in answer.headers if "ratelimit" in name.lower()]
    limited.client.options(COMPANY, headers=limited.headers)
    limited.client.put(COMPANY, headers=limited.headers)
    limited.get("/nothing")
    assert month_left(limited.get(COMPANY)) == 59_999


def test_refused_keys_get_none(limited):
    answer = limited.client.get(COMPANY, headers={"Authorization": f"Bearer {api_keys.make_key('live')}"})
    assert answer.status_code == 401
    assert not [name for name in answer.headers if "ratelimit" in name.lower()]


def test_burst_429(limited):
    answers = [limited.get(COMPANY) for _ in range(51)]
    assert [answer.status_code for answer in answers] == [200] * 50 + [429]
    refused = answers[-1]
    body = refused.json()
    assert refused.headers["Content-Type"] == "application/problem+json"
    assert refused.headers["Retry-After"] == "1"
    assert body == {
        "type": "https://iana.org/assignments/http-problem-types#quota-exceeded",
        "title": "Request cannot be satisfied as assigned quota has been exceeded",
        "status": 429,
        "detail": "More than 25 requests per second. Try again in 1 second.",
        "instance": f"/requests/{body['request_id']}",
        "code": "rate_limited",
        "request_id": refused.headers["X-Request-Id"],
        "violated-policies": ["burst"],
        "retry_after": 1,
    }
    state = parsed(refused)[1]
    assert state["burst"]["r"] == 0
    assert state["burst"]["t"] <= int(refused.headers["Retry-After"])
    assert month_left(refused) == month_left(answers[-2]) == 59_950, "429 spends no quota"
    limited.hands.seconds += 1
    after = [limited.get(COMPANY).status_code for _ in range(26)]
    assert after == [200] * 25 + [429]


def test_the_bucket_is_the_account_s_not_the_key_s(limited):
    other = limited.accounts.create_key("owner@example.com", "secret").key
    for _ in range(50):
        limited.get(COMPANY)
    answer = limited.client.get(COMPANY, headers={"Authorization": f"Bearer {other}"})
    assert (answer.status_code, answer.json()["code"]) == (429, "rate_limited")


def test_everything_authenticated_spends_a_token(limited):
    for path in ("/api/v1/usage", "/api/v1/markets", "/api/v1/events", "/api/v1/companies?limit=0"):
        limited.get(path)
    limited.get(COMPANY, Accept="text/html")
    assert parsed(limited.get(COMPANY))[1]["burst"]["r"] == 50 - 6


def test_a_suspended_account_is_told_so_before_its_burst(limited):
    limited.accounts.set_status("owner@example.com", "suspended")
    limited.hands.seconds += 31
    answers = [limited.get(COMPANY) for _ in range(52)]
    assert {answer.json()["code"] for answer in answers} == {"account_suspended"}
    assert parsed(answers[0])[1]["burst"]["r"] == 49
    assert parsed(answers[-1])[1]["burst"]["r"] == 0
    assert month_left(answers[-1]) == 60_000, "403 spends no quota"


def test_burst_stands_before_quota_and_quota_before_media_types(small):
    for _ in range(5):
        assert small.get(COMPANY).status_code == 200
    assert small.get(COMPANY, Accept="text/html").json()["code"] == "quota_exceeded"
    for _ in range(44):
        small.get(COMPANY)
    assert small.get(COMPANY, Accept="text/html").json()["code"] == "rate_limited"


def test_month_429(small):
    answers = [small.get(COMPANY) for _ in range(6)]
    assert [answer.status_code for answer in answers] == [200] * 5 + [429]
    refused, body = answers[-1], answers[-1].json()
    assert (body["code"], body["violated-policies"]) == ("quota_exceeded", ["month"])
    assert body["detail"] == "All 5 requests of November 2026 are used. The quota resets at 2026-12-01T00:00:00Z."
    assert body["retry_after"] == int(refused.headers["Retry-After"]) == TO_NEXT_MONTH
    assert parsed(refused)[1]["month"] == {"r": 0, "t": TO_NEXT_MONTH}
    assert parsed(refused)[1]["burst"]["r"] == 44
    assert month_left(refused) == 0


def test_what_is_not_counted_is_answered_though_the_month_is_used_up(small):
    for _ in range(5):
        small.get(COMPANY)
    assert small.get("/api/v1/markets").status_code == 200
    usage = small.get("/api/v1/usage")
    assert (usage.json()["requests_used"], usage.json()["requests_remaining"]) == (5, 0)


def test_a_new_month_begins_on_the_service_s_clock(small):
    for _ in range(5):
        small.get(COMPANY)
    small.hands.seconds = NEXT_MONTH.timestamp() - 1
    refused = small.get(COMPANY)
    assert (refused.status_code, refused.headers["Retry-After"]) == (429, "1")
    small.hands.seconds += 1
    answer = small.get(COMPANY)
    assert (answer.status_code, month_left(answer)) == (200, 4)
    assert parsed(answer)[0]["month"]["w"] == 31 * 86_400
    assert answer.headers["X-RateLimit-Reset"] == str(int(datetime(2027, 1, 1, tzinfo=UTC).timestamp()))


def test_the_month_turns_between_two_requests(limited):
    """The key is known and nothing was used up: nobody looks at the month but who tells it."""
    limited.hands.seconds = NEXT_MONTH.timestamp() - 1
    assert [month_left(limited.get(COMPANY)) for _ in range(3)] == [59_999, 59_998, 59_997]
    limited.hands.seconds += 1
    answer = limited.get(COMPANY)
    assert month_left(answer) == 59_999
    assert parsed(answer)[1]["month"] == {"r": 59_999, "t": 31 * 86_400}


@pytest.mark.parametrize(
    ("wall", "seconds", "reset"),
    [
        (datetime(2027, 2, 1, tzinfo=UTC), 28 * 86_400, datetime(2027, 3, 1, tzinfo=UTC)),
        (datetime(2028, 2, 29, 23, 59, 59, tzinfo=UTC), 29 * 86_400, datetime(2028, 3, 1, tzinfo=UTC)),
        (datetime(2026, 12, 31, 12, tzinfo=UTC), 31 * 86_400, datetime(2027, 1, 1, tzinfo=UTC)),
    ],
)
def test_the_window_is_the_calendar_month(limited, wall, seconds, reset):
    limited.hands.seconds = wall.timestamp()
    answer = limited.get(COMPANY)
    assert parsed(answer)[0]["month"]["w"] == seconds
    assert int(answer.headers["X-RateLimit-Reset"]) == reset.timestamp()
    assert parsed(answer)[1]["month"]["t"] == int((reset - wall).total_seconds())


def test_a_raised_tier_counts_from_the_next_look_at_the_key(small):
    for _ in range(6):
        small.get(COMPANY)
    small.accounts.set_tier("owner@example.com", "business")
    assert small.get(COMPANY).status_code == 429
    small.hands.seconds += 31
    assert month_left(small.get(COMPANY)) == 400_000 - 6


def test_an_account_whose_tier_is_no_longer_configured_is_served(serve, world, caplog):
    more = {"tiers": {"gold": {"monthly_requests": 7, "burst_per_second": 1, "burst_capacity": 1}}}
    serve(world, tiers=read_tiers(more)).accounts.set_tier("owner@example.com", "gold")
    answer = serve(world, tiers=DEFAULT).get(COMPANY)
    assert (answer.status_code, answer.headers["X-RateLimit-Limit"]) == (200, "400000")
    assert "'gold', which is not configured" in caplog.text


def test_a_store_of_bursts_that_fails_refuses_nobody(serve, world, tmp_path, caplog):
    (tmp_path / "limits").write_text("a file where the folder should be")
    with caplog.at_level(logging.WARNING, "firm.api"):
        service = serve(world, tiers=DEFAULT)
    assert service.get(COMPANY).status_code == 200
    assert caplog.text.count("each process limits bursts separately") == 1


def test_two_services_of_one_data_folder_share_the_burst(serve, world):
    first, second = serve(world, tiers=DEFAULT), serve(world, tiers=DEFAULT)
    statuses = [one.get(COMPANY).status_code for _ in range(26) for one in (first, second)]
    assert statuses == [200] * 50 + [429] * 2
