"""Accept and If-None-Match over HTTP: ranges, and headers that are written in several lines."""

import asyncio

import pytest

from api.http.content_negotiation import prefers_html
from tests.tables import check_cases

COMPANY = "/api/v1/companies/5599999991"


@pytest.fixture(scope="module")
def service(shared_service):
    return shared_service


def repeated(service, name, values):
    """The status of a request with several lines of one header (the test client would join them)."""
    sent = []

    async def receive():
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message):
        sent.append(message)

    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": COMPANY,
        "raw_path": COMPANY.encode(),
        "root_path": "",
        "query_string": b"",
        "headers": [
            (b"host", b"api.example.com"),
            (b"authorization", f"Bearer {service.key}".encode()),
            *((name.lower().encode(), value.encode()) for value in values),
        ],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 80),
        "state": {},
    }
    asyncio.run(service.app(scope, receive, send))
    return sent[0]["status"]


@pytest.mark.parametrize("values", [['"other"', "*"], ["*", '"other"']])
def test_lines_of_if_none_match_are_one_list(service, values):
    assert repeated(service, "If-None-Match", values) == 304


@pytest.mark.parametrize("values", [["text/html", "application/json"], ["application/json", "text/html"]])
def test_lines_of_accept_are_one_list(service, values):
    assert repeated(service, "Accept", values) == 200


@pytest.mark.parametrize(
    ("accept", "status"),
    [
        ("*/*, application/json;q=0", 406),
        ("application/json;q=0, */*", 406),
        ("application/json; q=0., */*;q=0.5", 406),
        ("*/*;q=0, application/json", 200),
        ("application/json;q=0.5, text/html", 200),
    ],
)
def test_the_narrowest_range_of_accept_decides(service, accept, status):
    assert service.get(COMPANY, Accept=accept).status_code == status


@check_cases(
    ("accept", "is_page"),
    [
        (None, False),
        (b"", False),
        (b"*/*", False),
        (b"application/json", False),
        (b"text/html", True),
        (b"Text/HTML", True),
        (b"text/*", True),
        (b"text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8", True),
        (b"text/html, application/json", False),
        (b"text/html;q=0.5, application/json;q=0.4", True),
        (b"text/html;q=0.5, application/problem+json", False),
        (b"text/html;q=0, */*", False),
        (b"text/html;q=x, */*;q=0.5", True),
        (b"text/html;q=1.5", True),
        (b"*/*," * 150 + b"text/html", False),
    ],
)
def test_a_page_is_served_to_who_prefers_it(accept: bytes | None, is_page: bool) -> None:
    assert prefers_html(accept) == is_page
