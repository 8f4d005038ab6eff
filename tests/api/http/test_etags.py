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
