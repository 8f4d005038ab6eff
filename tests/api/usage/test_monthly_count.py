"""The monthly count: what counts, when it is stored, what a caller is told; on SQLite and on PostgreSQL."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from api.accounts import repository
from api.database.engine import Database
from api.rate_limits.limiter import COUNTED
from api.settings.tiers import DEFAULT, read_tiers
from api.usage.counter import month_at
from api.usage.repository import DatabaseUsageStore

COMPANY = "/api/v1/companies/5599999991"
ROOT = Path(__file__).parents[3]


@pytest.fixture
def service(serve, world, control_url):
    return serve(world, database_url=control_url)


def used(service):
    return service.get("/api/v1/usage").json()["requests_used"]


def stored(url, month=202611):
    """What the database itself says, over all accounts."""
    database = Database(url)
    with database.reading() as session:
        found = session.execute(text("SELECT sum(count) FROM usage WHERE month = :month"), {"month": month}).scalar()
    database.close()
    return found or 0


class TestRoute:
    """GET /api/v1/usage."""

    def test_exactly_these_members(self, serve, world, control_url):
        service = serve(world, database_url=control_url, tiers=DEFAULT)
        for _ in range(3):
            service.get(COMPANY)
        answer = service.get("/api/v1/usage")
        assert answer.status_code == 200
        assert list(answer.json().items()) == [
            ("tier", "pro"),
            ("period_start", "2026-11-01T00:00:00Z"),
            ("period_end", "2026-12-01T00:00:00Z"),
            ("requests_used", 3),
            ("requests_limit", 60_000),
            ("requests_remaining", 59_997),
            ("burst_per_second", 25),
            ("burst_capacity", 50),
            ("webhooks_enabled", True),
            ("subscriptions_used", 0),
            ("subscriptions_limit", 10),
            ("trial_ends_at", None),
            ("account_status", "active"),
        ]
        assert answer.headers["Cache-Control"] == "no-store"

    def test_it_is_not_counted(self, service):
        assert [used(service) for _ in range(3)] == [0, 0, 0]
        assert service.client.head("/api/v1/usage", headers=service.headers).status_code == 200
        assert used(service) == 0

    def test_publishable_keys_may_not(self, service):
        public = service.accounts.create_key("owner@example.com", "public", ["example.com"]).key
        sent = {"Authorization": f"Bearer {public}", "Origin": "https://example.com"}
        answer = service.client.get("/api/v1/usage", headers=sent)
        assert (answer.status_code, answer.json()["code"]) == (403, "key_kind_not_allowed")
        assert answer.json()["required_key_kind"] == "secret"

    def test_parameters_are_refused(self, service):
        assert service.get("/api/v1/usage?month=202611").json()["code"] == "unknown_parameter"
        assert used(service) == 0

    def test_the_end_of_a_trial_is_told(self, service, control_url):
        database = Database(control_url)
        with database.writing() as session:
            session.execute(text("UPDATE accounts SET trial_ends_at = '2026-12-05 10:00:00+00:00'"))
        database.close()
        assert service.get("/api/v1/usage").json()["trial_ends_at"] == "2026-12-05T10:00:00Z"

    def test_tiers_without_webhooks(self, service):
        service.accounts.set_tier("owner@example.com", "basic")
        told = service.get("/api/v1/usage").json()
        assert (told["webhooks_enabled"], told["subscriptions_limit"]) == (False, 0)


class TestWhatCounts:
    """Statuses, accounts, months."""

    def test_the_contract_s_statuses(self):
        assert sorted(COUNTED) == [200, 201, 202, 204, 206, 400, 404, 409, 412, 422]

    @pytest.mark.parametrize(
        ("path", "headers", "status", "counted"),
        [
            (COMPANY, {}, 200, 1),
            ("/api/v1/companies?nonsense=1", {}, 400, 1),
            ("/api/v1/companies/5599999983", {}, 404, 1),
            (COMPANY, {"If-None-Match": "*"}, 304, 1),  # names no copy that the caller has
            (COMPANY, {"Accept": "text/html"}, 406, 0),
            (COMPANY, {"Content-Length": "5", "Content-Type": "text/plain"}, 415, 0),
            ("/api/v1/events?limit=500", {}, 200, 1),
            ("/api/v1/markets", {}, 200, 0),
            ("/api/v1/markets?x=1", {}, 400, 0),
            ("/api/v1/nothing", {}, 404, 0),
            (f"{COMPANY}?api_key=x", {}, 400, 0),
        ],
    )
    def test_statuses(self, serve, world, path, headers, status, counted):
        service = serve(world)
        body = b"12345" if "Content-Length" in headers else b""
        answer = service.client.request("GET", path, headers=service.headers | headers, content=body)
        assert answer.status_code == status
        assert used(service) == counted

    def test_a_failure_of_ours_is_free(self, serve, world, monkeypatch):
        service = serve(world)

        def fail(*_):
            raise RuntimeError

        monkeypatch.setattr(service.parts.release_reader, "pin_release", fail)
        assert service.get(COMPANY).status_code == 500
        assert used(service) == 0

    @pytest.mark.parametrize("status", ["suspended", "payment_required"])
    def test_accounts_that_may_not_call_are_not_counted(self, service, status):
        service.accounts.set_status("owner@example.com", status)
        assert service.get(COMPANY).status_code in {402, 403}
        service.accounts.set_status("owner@example.com", "active")
        service.hands.seconds += 31
        assert used(service) == 0

    def test_keys_of_one_account_are_one_accounts_are_not(self, service):
        other_key = service.accounts.create_key("owner@example.com", "secret").key
        service.accounts.create_account("other@example.com", "basic")
        stranger = service.accounts.create_key("other@example.com", "live").key
        for key in (service.key, other_key, stranger, stranger, stranger):
            service.client.get(COMPANY, headers={"Authorization": f"Bearer {key}"})
        assert used(service) == 2

    def test_a_new_month_begins_at_nought_and_the_old_one_is_kept(self, serve, world, control_url):
        service = serve(world, database_url=control_url)
        for _ in range(3):
            service.get(COMPANY)
        service.hands.seconds = datetime(2026, 12, 1, tzinfo=UTC).timestamp()
        told = service.get("/api/v1/usage").json()
        assert (told["requests_used"], told["period_start"]) == (0, "2026-12-01T00:00:00Z")
        service.get(COMPANY)
        assert used(service) == 1
        service.stop()
        assert (stored(control_url, 202611), stored(control_url, 202612)) == (3, 1)

    @pytest.mark.parametrize(
        ("wall", "number"),
        [
            ("2026-11-30T23:59:59+00:00", 202611),
            ("2026-12-01T00:00:00+00:00", 202612),
            ("2027-01-01T00:30:00+01:00", 202612),
        ],
    )
    def test_months_are_utc(self, wall, number):
        assert month_at(datetime.fromisoformat(wall).timestamp()).number == number


class TestStored:
    """When counts reach the database."""

    def test_a_stop_stores_all(self, serve, world, control_url):
        service = serve(world, database_url=control_url)
        for _ in range(7):
            service.get(COMPANY)
        service.stop()
        assert stored(control_url) == 7

    def test_two_processes_see_each_other_s_counts(self, serve, world, control_url):
        """Two services over one database: what one has stored, the other tells after its next look."""
        first, second = (serve(world, database_url=control_url) for _ in range(2))
        second.get(COMPANY)
        for _ in range(60):
            first.get(COMPANY)
        first.stop()
        assert used(second) == 61
        assert second.get(COMPANY).headers["X-RateLimit-Remaining"] == str(60_000 - 62)

    def test_a_look_up_in_a_new_month_learns_what_others_counted_in_it(self, serve, world, control_url):
        first, second = (serve(world, database_url=control_url) for _ in range(2))
        first.get(COMPANY)
        for service in (first, second):
            service.hands.seconds = datetime(2026, 12, 1, tzinfo=UTC).timestamp()
        for _ in range(7):
            second.get(COMPANY)
        second.stop()
        assert first.get(COMPANY).headers["X-RateLimit-Remaining"] == str(60_000 - 8)

    def test_after_a_restart_the_count_goes_on(self, serve, world, control_url):
        before = serve(world, database_url=control_url)
        for _ in range(5):
            before.get(COMPANY)
        before.stop()
        after = serve(world, database_url=control_url)
        assert after.get(COMPANY).headers["X-RateLimit-Remaining"] == str(60_000 - 6)

    def test_a_quota_used_up_elsewhere_is_used_up_here(self, serve, world, control_url):
        tiers = read_tiers({"tiers": {"pro": {"monthly_requests": 5}}})
        first = serve(world, database_url=control_url, tiers=tiers)
        for _ in range(5):
            first.get(COMPANY)
        first.stop()
        second = serve(world, database_url=control_url, tiers=tiers)
        assert second.get(COMPANY).json()["code"] == "quota_exceeded"


def test_a_database_that_fails_refuses_nobody(serve, world, control_url, monkeypatch, caplog):
    service = serve(world, database_url=control_url)
    service.get(COMPANY)

    def fail(*_):
        raise OperationalError("statement", {}, RuntimeError("gone"))

    with monkeypatch.context() as broken:
        broken.setattr(DatabaseUsageStore, "add", fail)
        answers = [service.get(COMPANY) for _ in range(100)]
        assert {answer.status_code for answer in answers} == {200}
        assert answers[-1].headers["X-RateLimit-Remaining"] == str(60_000 - 101)
    service.stop()
    assert stored(control_url) == 101


def test_usage_that_cannot_be_read_is_503(service, monkeypatch):
    def fail(*_):
        raise OperationalError("statement", {}, RuntimeError("gone"))

    assert used(service) == 0
    monkeypatch.setattr(service.parts.account_service, "used", fail)
    answer = service.get("/api/v1/usage")
    assert (answer.status_code, answer.json()["code"]) == (503, "service_unavailable")
    assert answer.headers["Retry-After"] == str(answer.json()["retry_after"])


def test_keys_that_cannot_be_looked_up_are_neither_right_nor_wrong(serve, world, monkeypatch):
    service = serve(world)

    def fail(*_):
        raise OperationalError("statement", {}, RuntimeError("gone"))

    monkeypatch.setattr(repository, "find_key_by_digest", fail)
    answer = service.get(COMPANY)
    assert (answer.status_code, answer.json()["code"]) == (503, "service_unavailable")
    assert answer.headers["Retry-After"] == str(answer.json()["retry_after"])
