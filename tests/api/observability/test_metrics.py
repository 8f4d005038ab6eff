"""Counting: what Prometheus reads, from whom, over one worker and several."""

import asyncio

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from api.common.shared_memory import SharedSlots
from api.http.middleware import RequestMiddleware
from api.observability.metrics import BOUNDS, Metrics, WorkerSlot, publish_periodically
from api.observability.prometheus import prometheus_text
from api.settings.service import ApiSettings
from api.settings.tiers import DEFAULT
from warehouse.settings.errors import SettingError

COMPANY = "/api/v1/companies/5599999991"
TEMPLATE = "/api/v1/companies/{org_number}"


def samples(text):
    """Values by name and labels, as Prometheus' own parser reads them."""
    return {
        (sample.name, *sorted(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def requests(told, route=TEMPLATE, method="GET", status="2xx"):
    labels = (("method", method), ("route", route), ("status", status))
    return told.get(("firm_http_requests_total", *labels), 0)


def metrics_of(service, address="127.0.0.1", **headers):
    """The answer of /metrics to a caller at an address."""

    async def ask():
        transport = httpx.ASGITransport(service.app, client=(address, 1))
        async with httpx.AsyncClient(transport=transport, base_url="http://api.example.com") as client:
            return await client.get("/metrics", headers=headers)

    return asyncio.run(ask())


@pytest.fixture
def told(service):
    """Asks for the numbers, from this machine."""

    def ask():
        answer = metrics_of(service)
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("text/plain; version=")
        assert answer.headers["cache-control"] == "no-store"
        return samples(answer.text)

    return ask


def test_requests_by_route_method_and_status(service, told):
    for path in (COMPANY, COMPANY, "/api/v1/companies/999999999", "/api/v1/companies/12ab"):
        service.get(path)
    service.client.head(COMPANY, headers=service.headers)
    service.client.options(COMPANY)
    service.client.get(COMPANY)
    numbers = told()
    assert requests(numbers) == 3
    assert requests(numbers, status="4xx") == 2
    assert requests(numbers, method="HEAD") == 1
    assert requests(numbers, method="OPTIONS") == 1
    assert numbers["firm_problems_total", ("code", "invalid_org_number")] == 1
    assert numbers["firm_problems_total", ("code", "missing_api_key")] == 1
    assert numbers["firm_authenticated_requests_total",] == 5
    assert numbers["firm_key_lookups_total",] == 1
    assert numbers["firm_http_requests_in_flight",] == 1  # this one
    assert numbers["firm_release_number",] == 1
    assert numbers["firm_release_age_seconds",] > 0
    assert numbers["firm_worker_starts_total",] == 1


def test_durations(service, told):
    """From the request's head to its answer, whatever takes the time."""
    reader = service.parts.release_reader
    pin = reader.pin_release

    def slow():
        service.hands.seconds += 0.03
        return pin()

    reader.pin_release = slow
    service.get(COMPANY)
    numbers = told()
    route = ("route", TEMPLATE)
    assert numbers["firm_http_request_duration_seconds_count", route] == 1
    assert numbers["firm_http_request_duration_seconds_bucket", ("le", "0.025"), route] == 0
    assert numbers["firm_http_request_duration_seconds_bucket", ("le", "0.05"), route] == 1
    assert numbers["firm_http_request_duration_seconds_sum", route] == pytest.approx(0.03)


def test_buckets_count_everything_up_to_their_bound():
    metrics = Metrics()
    for seconds in (0.0, 0.001, 0.0011, 0.03, 99.0):
        metrics.in_flight += 1
        metrics.observe(("/a", "GET", 200), seconds, None, False)
    numbers = samples(prometheus_text(metrics.counts(), {}, {}).decode())
    bucket = {
        float(dict(labels)["le"]): value for (name, *labels), value in numbers.items() if name.endswith("_bucket")
    }
    assert list(bucket) == [*BOUNDS, float("inf")]
    assert (bucket[0.0005], bucket[0.001], bucket[0.0025], bucket[0.025], bucket[0.05]) == (1, 2, 3, 3, 4)
    assert (bucket[10.0], bucket[float("inf")]) == (4, 5)
    assert numbers["firm_http_request_duration_seconds_sum", ("route", "/a")] == pytest.approx(99.0321)
    assert numbers["firm_http_requests_in_flight",] == 0


def test_what_callers_make_up_becomes_no_label(service, told):
    for number in range(30):
        service.client.get(f"/nothing/{number}")
        service.get(f"/api/v1/companies/{number}x")
        service.client.request(f"MADE{number}", COMPANY)
    numbers = told()
    routes = {dict(labels)["route"] for name, *labels in numbers if name == "firm_http_requests_total"}
    assert routes == {TEMPLATE, "unknown"}
    assert requests(numbers, "unknown", "GET", "4xx") == 30
    assert requests(numbers, "unknown", "other", "4xx") == 30


def test_limited_and_refused_requests(serve, world):
    service = serve(world, tiers=DEFAULT)
    for _ in range(60):
        service.get(COMPANY)
    numbers = samples(metrics_of(service).text)
    assert numbers["firm_problems_total", ("code", "rate_limited")] == 10
    assert requests(numbers) == 50


def test_in_flight_ends_where_nothing_was_answered(service):
    """A caller that goes away breaks its request off."""

    async def broken_off(scope, receive, send):
        raise asyncio.CancelledError

    edge = RequestMiddleware(broken_off, service.parts, nothing_failed)
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(_ask(edge, COMPANY))
    metrics = service.parts.metrics
    assert metrics.in_flight == 0
    assert list(metrics.counts().requests) == ["unknown GET none"]


def nothing_failed(_call, error):
    raise error


async def _ask(app, path):
    async def nothing(*_):
        return {"type": "http.request", "body": b"", "more_body": False}

    scope = {"type": "http", "method": "GET", "path": path, "raw_path": path.encode(), "query_string": b""}
    await app(scope | {"headers": [(b"host", b"x")], "client": None, "http_version": "1.1"}, nothing, nothing)


@pytest.mark.parametrize(
    ("chosen", "address", "headers", "status"),
    [
        ("local", "127.0.0.1", {}, 200),
        ("local", "::1", {}, 200),
        ("local", "10.9.8.7", {}, 200),
        ("local", "8.8.8.8", {}, 404),
        ("local", "8.8.8.8", {"X-Forwarded-For": "127.0.0.1"}, 404),
        ("local", "127.0.0.1", {"X-Forwarded-For": "8.8.8.8"}, 404),  # a proxy nobody told us of
        ("local", "127.0.0.1", {"Forwarded": "for=127.0.0.1"}, 404),
        ("public", "8.8.8.8", {}, 200),
        ("off", "127.0.0.1", {}, 404),
    ],
)
def test_who_may_read(serve, world, chosen, address, headers, status):
    service = serve(world, metrics=chosen)
    answer = metrics_of(service, address, **headers)
    assert answer.status_code == status
    if status == 404:
        assert answer.json()["code"] == "route_not_found"


def test_who_may_read_behind_a_proxy(serve, world):
    service = serve(world, trusted_proxies=("127.0.0.1",))
    assert metrics_of(service, **{"X-Forwarded-For": "8.8.8.8"}).status_code == 404
    assert metrics_of(service, **{"X-Forwarded-For": "10.0.0.9"}).status_code == 200
    assert metrics_of(service).status_code == 200
    for said, forwarded in (("10.0.0.9", "for=10.0.0.8"), ("10.0.0.9", ""), ("", "for=10.0.0.9"), ("", ""), ("x", "")):
        answer = metrics_of(service, **{"X-Forwarded-For": said, "Forwarded": forwarded})
        assert answer.status_code == 404, (said, forwarded)


def test_settings():
    assert ApiSettings.read({}).metrics == "local"
    assert ApiSettings.read({"FIRM_METRICS": "OFF"}).metrics == "off"
    with pytest.raises(SettingError, match="FIRM_METRICS must be one of local, public, off"):
        ApiSettings.read({"FIRM_METRICS": "true"})


def count(metrics, times, seconds=0.001):
    for _ in range(times):
        metrics.in_flight += 1
        metrics.observe(("/a", "GET", 200), seconds, "rate_limited", True)


def test_workers_tell_the_sum():
    board = SharedSlots(3)
    one, two, three = (Metrics(WorkerSlot(board, place)) for place in range(3))
    count(one, 3)
    count(two, 4)
    three.add("list_waits", 2)
    two.in_flight += 1
    for worker in (one, two, three):
        worker.publish()
    for worker in (one, two, three):
        sum_of_all = worker.counts()
        assert sum_of_all.requests["/a GET 2xx"][0] == 7
        assert sum_of_all.problems == {"rate_limited": 7}
        assert sum_of_all.totals["authenticated_requests"] == 7
        assert sum_of_all.totals["list_waits"] == 2
        assert sum_of_all.totals["worker_starts"] == 3
        assert sum_of_all.in_flight == 1


def test_a_worker_goes_on_from_where_its_predecessor_died():
    board = SharedSlots(2)
    dead, other = Metrics(WorkerSlot(board, 0)), Metrics(WorkerSlot(board, 1))
    count(dead, 3)
    dead.in_flight += 2  # which died with it
    dead.publish()
    heir = Metrics(WorkerSlot(board, 0))
    count(heir, 1)
    heir.publish()
    told = other.counts()
    assert told.requests["/a GET 2xx"][0] == 4
    assert told.totals["worker_starts"] == 3
    assert told.in_flight == 0


def test_a_worker_publishes_when_it_starts_and_when_it_ends():
    board = SharedSlots(2)
    metrics = Metrics(WorkerSlot(board, 0))

    async def run():
        async with publish_periodically(metrics):
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            assert board.read(0)
            count(metrics, 1)

    asyncio.run(run())
    assert Metrics(WorkerSlot(board, 1)).counts().requests["/a GET 2xx"][0] == 1


def test_a_text_that_was_not_finished_is_not_read():
    board = SharedSlots(2)
    board.write(1, b"first")
    board.write(1, b"second")
    assert (board.read(0), board.read(1)) == (b"", b"second")
    board._memory.seek(0)
    at = board._memory.find(b"second")
    board._memory[at : at + 3] = b"xxx"  # as if killed while writing
    assert board.read(1) == b"first"
    board.write(1, b"third")
    assert board.read(1) == b"third"
    with pytest.raises(ValueError, match="do not fit"):
        board.write(0, b"x" * 1_000_000)
