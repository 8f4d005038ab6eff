"""Entity tags: how they are made, and which values of If-None-Match name one."""

import hashlib

from api.http.response_headers import content_digest, weak_etag, weakly_matches
from tests.tables import check_cases

TAG = b"0123456789abcdef"


def test_a_tag_is_sixteen_characters_over_all_parts():
    assert content_digest(b"one", b"two", b"three") == hashlib.sha256(b"onetwothree").hexdigest()[:16].encode()
    assert content_digest(b"one") != content_digest(b"one", b"two")


def test_a_weak_tag_is_written_as_the_standard_has_it():
    assert weak_etag(TAG) == b'W/"0123456789abcdef"'


@check_cases(
    "asked",
    [
        b'W/"0123456789abcdef"',
        b'"0123456789abcdef"',
        b"*",
        b'"other", W/"0123456789abcdef"',
        b'W/"0123456789abcdef" ,"other"',
        b'"other",*',
    ],
)
def test_what_names_it(asked):
    assert weakly_matches(asked, TAG)


@check_cases(
    "asked",
    [
        b"",
        b'W/"other"',
        b'"0123456789abcde"',
        b"0123456789abcdef",
        b'w/"0123456789abcdef"',
        b'"other"; "0123456789abcdef"',
        b'"a*b", "**"',
        b'"0123456789abcdef',
    ],
)
def test_what_does_not(asked):
    assert not weakly_matches(asked, TAG)


def test_enumerating_by_conditions_costs_what_plain_requests_cost(own_service):
    """A 304 of `*` is counted; no 304 tells where the next page begins."""
    path = "/api/v1/companies?limit=1"
    first = own_service.get(path)
    used = own_service.get("/api/v1/usage").json()["requests_used"]
    for asked, cost in (
        ("*", 1),
        ('"guessed", *', 1),
        (first.headers["etag"], 0),
        (f'"x", {first.headers["etag"]}', 0),
    ):
        answer = own_service.get(path, **{"If-None-Match": asked})
        assert (answer.status_code, answer.content, "link" in answer.headers) == (304, b"", False), asked
        told = own_service.get("/api/v1/usage").json()["requests_used"]
        assert (asked, told - used) == (asked, cost)
        used = told
    assert "link" in first.headers
