"""Conditional requests: by date, what they cost, and that no 304 confirms an expired cursor."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from api.http.pagination.cursors import LIFETIME_SECONDS, PERIOD_SECONDS
from api.http.response_headers import parse_http_date
from tests.tables import check_cases

COMPANY = "/api/v1/companies/5599999991"
PAGE = "/api/v1/companies?limit=1"
BUILT = datetime(2026, 11, 20, 13, tzinfo=UTC)  # NOW is 2026-11-21T09:00


@pytest.fixture(scope="module")
def service(shared_service):
    return shared_service


def http_date(at):
    return format_datetime(at, usegmt=True)


@check_cases(
    ("given", "status"),
    [
        (http_date(BUILT), 304),
        (http_date(BUILT + timedelta(hours=3)), 304),
        ("Friday, 20-Nov-26 13:00:00 GMT", 304),
        ("Fri Nov 20 13:00:00 2026", 304),
        (http_date(BUILT - timedelta(seconds=1)), 200),
        (http_date(datetime(2026, 11, 21, 9, 0, 1, tzinfo=UTC)), 200),  # not yet
        ("Fri, 20 Nov 2036 13:00:00 GMT", 200),
        ("2026-11-20T13:00:00Z", 200),
        ("Fri, 20 Nov 2026 13:00:00 +0000", 200),
        ("Fri, 31 Nov 2026 13:00:00 GMT", 200),
        ("1795179600", 200),
        ("*", 200),
        ("", 200),
    ],
)
def test_a_date_from_the_last_change_to_now_is_304(service, given, status):
    answer = service.get(COMPANY, **{"If-Modified-Since": given})
    assert answer.status_code == status
    assert answer.headers["last-modified"] == http_date(BUILT)
    assert service.client.head(COMPANY, headers=service.headers | {"If-Modified-Since": given}).status_code == status


def test_a_tag_takes_precedence_over_a_date(service):
    tag = service.get(COMPANY).headers["etag"]
    for tags, date, status in (('"other"', http_date(BUILT), 200), (tag, "Fri, 20 Nov 2000 13:00:00 GMT", 304)):
        asked = {"If-None-Match": tags, "If-Modified-Since": date}
        assert service.get(COMPANY, **asked).status_code == status


def test_a_304_by_date_costs_what_a_plain_request_costs(own_service):
    """A date is the same for every company: whoever sends one need not have read any of them."""

    def used():
        return own_service.get("/api/v1/usage").json()["requests_used"]

    tag, dated = own_service.get(COMPANY).headers["etag"], {"If-Modified-Since": http_date(BUILT)}
    for more, cost in ((dated, 1), (dated | {"If-None-Match": tag}, 0), (dated | {"If-None-Match": "*"}, 1)):
        before = used()
        answer = own_service.get(COMPANY, **more)
        assert (answer.status_code, answer.content, used() - before) == (304, b"", cost), more


@pytest.mark.parametrize("path", ["/api/v1/markets", f"{COMPANY}/ownership"])
def test_what_changes_between_releases_is_dated_so(service, path):
    """Sources are checked, and the day ends, without a new release."""
    answer = service.get(path, **{"If-Modified-Since": http_date(BUILT)})
    assert answer.status_code == 200
    assert parse_http_date(answer.headers["last-modified"].encode()) > BUILT


def test_no_304_confirms_a_page_whose_cursor_expires_soon(own_service):
    """A client that keeps a page and asks once an hour always holds a cursor that is valid for some days."""
    kept, at, renewed = own_service.get(PAGE), own_service.hands.seconds, 0
    start = at
    for _ in range(2 * LIFETIME_SECONDS // 3600 // 12):
        own_service.hands.seconds += 12 * 3600
        now = own_service.hands.seconds
        dated = own_service.get(PAGE, **{"If-Modified-Since": kept.headers["last-modified"]})
        answer = own_service.get(PAGE, **{"If-None-Match": kept.headers["etag"]})
        assert dated.status_code == answer.status_code
        if answer.status_code == 200:
            kept, at, renewed = answer, now, renewed + 1
        assert now - at <= PERIOD_SECONDS
        cursor = kept.json()["next_cursor"]
        assert own_service.get(f"{PAGE}&cursor={cursor}").status_code == 200, (now - start) / 86400
    assert renewed == 2 * LIFETIME_SECONDS // PERIOD_SECONDS


@pytest.mark.parametrize("path", ["/api/v1/companies?limit=100", f"{COMPANY}/events?order=asc&limit=1", COMPANY])
def test_a_tag_without_a_cursor_that_expires_stays(own_service, path):
    tag = own_service.get(path).headers["etag"]
    own_service.hands.seconds += 30 * 24 * 3600
    assert own_service.get(path, **{"If-None-Match": tag}).status_code == 304


def test_tags_of_pages_are_the_same_for_every_key(own_service):
    own_service.accounts.create_account("other@example.com", "pro")
    other = {"Authorization": f"Bearer {own_service.accounts.create_key('other@example.com', 'live').key}"}
    assert own_service.client.get(PAGE, headers=other).headers["etag"] == own_service.get(PAGE).headers["etag"]
