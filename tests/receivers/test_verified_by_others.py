"""Deliveries of ours against verifiers that others wrote, from npm.

See docs/contract/contract.md 4.7; those of PyPI: tests/api/webhooks/egress/test_signing.py.
"""

from datetime import UTC, datetime, timedelta

import pytest

from api.webhooks.egress.payload import EventPayload, build_request
from api.webhooks.egress.signing import make_secret

LIBRARIES = ("standardwebhooks", "svix", "octokit")
DATA = '{"name":"Bøørge & Søn <AS>","holder_name":"株式会社 🎉","previous_pct":8.2}'.encode()
EVENT = EventPayload("evt_c4cthsej3686j9zsejemb8n4gb", "ownership.changed", DATA)


def delivery(*secrets, started=None):
    made = build_request(
        "https://hooks.example.com/", secrets, EVENT, "dlv_01kaf49n6m7p8q9r0s1t2v3w4x", 1, started or datetime.now(UTC)
    )
    return made.headers, made.body


@pytest.fixture(scope="module")
def told(verified_by_npm):
    """All cases, asked in one go."""
    current, previous = make_secret(), make_secret()
    headers, body = delivery(current)
    both, both_body = delivery(current, previous)
    old, old_body = delivery(current, started=datetime.now(UTC) - timedelta(minutes=6))
    changed = body.replace(b"8.2", b"8.3")
    cases = {
        "genuine": (current, headers, body),
        "rotated, current secret": (current, both, both_body),
        "rotated, previous secret": (previous, both, both_body),
        "another secret": (make_secret(), headers, body),
        "changed body": (current, headers, changed),
        "another id": (current, headers | {"webhook-id": "evt_x"}, body),
        "old": (current, old, old_body),
    }
    asked = [(library, *case) for library in LIBRARIES for case in cases.values()]
    answers = iter(verified_by_npm(asked))
    return {(library, name): next(answers) for library in LIBRARIES for name in cases}


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_genuine_delivery_is_verified(told, library):
    assert told[library, "genuine"]
    assert told[library, "rotated, current secret"]


@pytest.mark.parametrize("library", LIBRARIES)
def test_what_is_not_genuine_is_not(told, library):
    assert not told[library, "another secret"]
    assert not told[library, "changed body"]


@pytest.mark.parametrize("library", ["standardwebhooks", "svix"])
def test_id_and_time_are_signed_and_the_previous_secret_holds(told, library):
    assert told[library, "rotated, previous secret"]
    assert not told[library, "another id"]
    assert not told[library, "old"]


def test_the_products_own_header_is_that_of_the_current_secret(told):
    """With the previous secret a receiver looks at X-Service-Signature-Previous."""
    assert not told["octokit", "rotated, previous secret"]
