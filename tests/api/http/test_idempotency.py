"""Idempotency-Key over HTTP (docs/contract/contract.md 4.12), on both engines."""

import asyncio
import json
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import func, select, text, update

from api.database.engine import Database
from api.database.models.accounts import IdempotentRequest
from api.database.models.webhooks import Subscription
from api.http import idempotency
from api.http import idempotency_repository as requests
from api.http.idempotency_repository import IdempotencyClaim, StoredResponse
from tests.tables import check_cases

ALL = "/api/v1/webhooks"
GOOD = {"endpoint_url": "https://hooks.example.com/x", "event_types": ["status.changed"]}


class Names:
    """A name server that can be made to wait."""

    def __init__(self):
        self.open = threading.Event()
        self.open.set()
        self.asked = threading.Event()
        self.fails = None

    async def __call__(self, host):
        self.asked.set()
        await asyncio.to_thread(self.open.wait, 30)
        if self.fails is not None:
            raise self.fails
        return ["93.184.215.14"]


@pytest.fixture
def names():
    return Names()


@pytest.fixture
def service(serve, world, control_url, names):
    return serve(world, database_url=control_url, resolver=names)


@pytest.fixture
def database(service):
    opened = Database(service.parts.settings.control_database_url)
    yield opened
    opened.close()


def post(service, key, body=GOOD, path=ALL, **headers):
    return service.client.post(path, headers=service.headers | {"Idempotency-Key": key} | headers, json=body)


def count(service):
    return len(service.get(f"{ALL}?limit=100").json()["data"])


def test_idempotency_replay(service):
    first = post(service, "a key")
    again = post(service, '"a key"', dict(reversed(GOOD.items())))  # the same key as a string, another order
    assert first.status_code == again.status_code == 201
    assert again.content == first.content  # the secret too
    assert "idempotency-replayed" not in first.headers
    assert again.headers["idempotency-replayed"] == "true"
    for name in ("location", "etag", "cache-control", "content-type", "content-length"):
        assert again.headers[name] == first.headers[name]
    assert again.headers["x-request-id"] != first.headers["x-request-id"]
    assert count(service) == 1
    # the key belongs to account, method and path
    made = first.json()["id"]
    assert post(service, "a key", {}, f"{ALL}/{made}/secret/rotate").status_code == 200
    service.accounts.create_account("other@example.com", "pro")
    key = service.accounts.create_key("other@example.com", "live").key
    other = post(service, "a key", Authorization=f"Bearer {key}")
    assert (other.status_code, "idempotency-replayed" in other.headers) == (201, False)
    assert post(service, "a key", path=f"{ALL}/").json()["id"] == made


def test_idempotency_mismatch(service):
    assert post(service, "k").status_code == 201
    answer = post(service, "k", GOOD | {"description": "x"})
    assert (answer.status_code, answer.json()["code"]) == (422, "idempotency_key_reused")
    assert post(service, "k").headers["idempotency-replayed"] == "true"
    assert count(service) == 1


def test_idempotency_concurrent(service, names):
    names.open.clear()
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(post, service, "k")
        assert names.asked.wait(30)
        meanwhile = post(service, "k")
        assert (meanwhile.status_code, meanwhile.json()["code"]) == (409, "idempotency_in_progress")
        assert meanwhile.headers["retry-after"] == "1"
        assert post(service, "k", GOOD | {"description": "x"}).status_code == 422
        names.open.set()
        assert first.result(30).status_code == 201
    assert post(service, "k").headers["idempotency-replayed"] == "true"
    assert count(service) == 1


def test_many_at_once_do_it_once(service):
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: post(service, "k"), range(8)))
    assert {answer.status_code for answer in answers} <= {201, 409}
    assert len({answer.json()["id"] for answer in answers if answer.status_code == 201}) == 1
    assert count(service) == 1


def test_stored_a_day(service):
    first = post(service, "k")
    service.hands.seconds += 24 * 3600 - 1
    assert post(service, "k").content == first.content
    service.hands.seconds += 1
    assert post(service, "k", GOOD | {"description": "another"}).status_code == 201
    assert count(service) == 2


def stored_rows(database):
    with database.reading() as session:
        return session.scalar(select(func.count()).select_from(IdempotentRequest))


def test_stored_are_answers_after_validation_began(service):
    rotate = f"{ALL}/whs_{'0' * 26}/secret/rotate"
    for key, body, path, status in (("422", {}, ALL, 422), ("404", {}, rotate, 404)):
        first = post(service, key, body, path)
        again = post(service, key, body, path)
        assert first.status_code == again.status_code == status
        assert again.headers["idempotency-replayed"] == "true"
        assert again.content == first.content
        assert again.headers["content-type"] == "application/problem+json"
    made = post(service, "made").json()["id"]
    assert post(service, "1", {}, f"{ALL}/{made}/secret/rotate").status_code == 200
    refused = post(service, "2", {}, f"{ALL}/{made}/secret/rotate")
    assert refused.status_code == 409
    service.hands.seconds += 3600
    assert post(service, "2", {}, f"{ALL}/{made}/secret/rotate").headers["idempotency-replayed"] == "true"


@pytest.mark.parametrize("bound", [idempotency.StoredSize(3, 1 << 20), idempotency.StoredSize(100, 3_000)])
def test_refusals_above_the_bound_store_nothing_and_are_judged_again(service, database, monkeypatch, bound):
    """Each stored up to 100 KB for a day, whatever the quota."""
    monkeypatch.setattr(idempotency, "MAX_WITH_REFUSALS", bound)
    replayed = []
    for number in range(6):
        key = f"refused {number}"
        answers = [post(service, key, {}), post(service, key, {})]
        assert [answer.status_code for answer in answers] == [422, 422]
        replayed.append("idempotency-replayed" in answers[1].headers)
    kept = replayed.index(False)
    assert replayed == [True] * kept + [False] * (6 - kept)
    assert 0 < kept == stored_rows(database) <= bound.responses
    assert post(service, "refused 5").status_code == 201, "its key serves the request that was mended"


def test_an_account_stores_a_bounded_number_of_bytes(service, database, monkeypatch):
    monkeypatch.setattr(idempotency, "MAX_STORED", idempotency.StoredSize(3, 10_000))
    for key in ("a", "b", "c"):
        assert post(service, key).status_code == 201
    refused = post(service, "d")
    body = refused.json()
    assert (refused.status_code, body["code"], body["violated-policies"]) == (429, "rate_limited", ["idempotency"])
    assert int(refused.headers["retry-after"]) == body["retry_after"] == 24 * 3600
    assert (stored_rows(database), count(service)) == (3, 3), "nothing was executed"
    # stored responses, requests without a key and other accounts go on
    assert post(service, "a").headers["idempotency-replayed"] == "true"
    assert service.client.post(ALL, headers=service.headers, json=GOOD).status_code == 201
    service.accounts.create_account("other@example.com", "pro")
    key = service.accounts.create_key("other@example.com", "live").key
    assert post(service, "d", Authorization=f"Bearer {key}").status_code == 201
    service.hands.seconds += 24 * 3600
    assert post(service, "d").status_code == 201
    monkeypatch.setattr(idempotency, "MAX_STORED", idempotency.StoredSize(1000, 1000))
    assert post(service, "e").status_code == 429


@pytest.mark.parametrize("given", ["{key}", "prefix {key}", "whsec_{rest}"])
def test_a_secret_sent_as_a_key_is_not_stored(service, database, given):
    """An API key in the wrong header works as a key, but no copy of the database holds it."""
    sent = given.format(key=service.key, rest=service.key[10:])
    for expected in (False, True):
        answer = post(service, sent, **{"X-Request-Id": "x" * 64})
        assert (answer.status_code, "idempotency-replayed" in answer.headers) == (201, expected)
    with database.reading() as session:
        row = session.execute(select(IdempotentRequest.key, IdempotentRequest.claimed_by)).one()
    assert service.key[10:] not in row.key
    assert len(row.claimed_by) <= 30, "a request id may be longer"


def test_not_stored_is_what_may_be_mended(service, names):
    headers = service.headers | {"Idempotency-Key": "k", "Content-Type": "application/json"}
    assert service.client.post(ALL, headers=headers, content=b"{").status_code == 400
    assert service.client.post(f"{ALL}?x=1", headers=headers, json=GOOD).status_code == 400
    assert service.client.post(ALL, headers=headers | {"Content-Type": "text/x"}, content=b"{}").status_code == 415
    for _ in range(10):
        assert post(service, f"filled {_}").status_code == 201
    for _ in range(2):
        refused = post(service, "k")
        assert (refused.status_code, refused.json()["code"]) == (403, "subscription_limit_reached")
        assert "idempotency-replayed" not in refused.headers
    service.accounts.set_tier("owner@example.com", "business")
    names.fails = RuntimeError("a fault of ours")
    assert post(service, "k").status_code == 500
    names.fails = None
    made = post(service, "k", GOOD | {"description": "any other body"})
    assert (made.status_code, "idempotency-replayed" in made.headers) == (201, False)


def test_a_crash_frees_the_key_after_60_s(service, database):
    assert post(service, "k").status_code == 201
    with database.writing() as session:  # as if the process had died before it could answer
        session.execute(update(IdempotentRequest).values(status=None, answer=None))
    assert post(service, "k").status_code == 409
    service.hands.seconds += 59.9
    assert post(service, "k").status_code == 409
    service.hands.seconds += 0.1
    assert post(service, "k", GOOD | {"description": "x"}).status_code == 201
    assert post(service, "k", GOOD | {"description": "x"}).headers["idempotency-replayed"] == "true"


def test_who_was_given_up_stores_and_frees_nothing(service, database):
    """A request that took longer than a crash is thought to: the one that took its key over stands."""
    account_id = service.accounts.account("owner@example.com").account_id
    at = service.parts.clock.now()
    slow = IdempotencyClaim(account_id, "POST /x", "k", b"f", "req_slow")
    later = replace(slow, claimed_by="req_later")

    def claim(asked, seconds):
        moment = at + timedelta(seconds=seconds)
        with database.writing() as session:
            return requests.claim_key(
                session.connection(), asked, moment, moment - idempotency.KEPT, moment - idempotency.ABANDONED
            )

    assert claim(slow, 0) is None
    assert claim(later, 59) == StoredResponse(b"f", None, None)
    assert claim(later, 60) is None
    for step, stored in (
        (lambda connection: requests.release_claim(connection, slow), StoredResponse(b"f", None, None)),
        (lambda connection: requests.finish_claim(connection, slow, 201, b"slow"), StoredResponse(b"f", None, None)),
        (
            lambda connection: requests.finish_claim(connection, later, 201, b"later"),
            StoredResponse(b"f", 201, b"later"),
        ),
        (lambda connection: requests.finish_claim(connection, slow, 201, b"slow"), StoredResponse(b"f", 201, b"later")),
        (lambda connection: requests.release_claim(connection, later), StoredResponse(b"f", 201, b"later")),
    ):
        with database.writing() as session:
            step(session.connection())
        assert claim(slow, 61) == stored


def test_answers_are_encrypted_at_rest(service, database):
    made = post(service, "k").json()
    with database.reading() as session:
        stored = session.scalars(select(IdempotentRequest.answer)).one()
        secret = session.scalars(select(Subscription.secret)).one()
    for sealed in (stored, secret):
        assert b"whsec_" not in sealed
        assert made["secret"].encode() not in sealed
        assert made["id"].encode() not in sealed


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("k", "k"),
        (" padded ", "padded"),
        ("x" * 255, "x" * 255),
        ('"quoted"', "quoted"),
        (r'"a\"b\\c"', r'a"b\c'),
        ('a"b', 'a"b'),
    ],
    ids=["bare", "padded", "longest", "quoted", "escaped", "quote-inside"],
)
def test_keys_that_are_taken(serve, world, key, value):
    service = serve(world)
    assert post(service, key).status_code == 201
    database = Database(service.parts.settings.control_database_url)
    with database.reading() as session:
        assert session.scalars(select(IdempotentRequest.key)).all() == [value]
    database.close()


@check_cases(
    "key",
    ["", '""', '"open', '"a"b', r'"a\b"', "x" * 256, "a\tb", "é", '"a";b=1'],
    ids=["empty", "empty-string", "open", "after", "escape", "long", "tab", "not-ascii", "parameter"],
)
def test_invalid_idempotency_key(service, key):
    answer = post(service, key.encode("latin-1"))
    body = answer.json()
    assert (answer.status_code, body["code"]) == (400, "invalid_idempotency_key")
    assert body["errors"] == [
        {"code": "format", "detail": "1 to 255 printable ASCII characters", "header": "Idempotency-Key"}
    ]
    assert count(service) == 0


def test_two_keys_are_none(service):
    """Clients of tests put two lines into one, so this asks the application itself."""
    keys = [(b"idempotency-key", b"a"), (b"idempotency-key", b"b")]
    status, body = posted_raw(service, json.dumps(GOOD).encode(), keys)
    assert (status, body["code"]) == (400, "invalid_idempotency_key")
    assert posted_raw(service, json.dumps(GOOD).encode(), keys[:1])[0] == 201
    assert count(service) == 1


def posted_raw(service, content, lines):
    """Status and document of a POST with these header lines besides what every request has."""
    headers = service.headers | {"host": "api.example.com", "content-type": "application/json"}
    head = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    scope = {
        "type": "http", "asgi": {"version": "3.0", "spec_version": "2.3"}, "http_version": "1.1", "method": "POST",
        "scheme": "http", "path": ALL, "raw_path": ALL.encode(), "query_string": b"", "root_path": "",
        "headers": [*head, *lines], "client": ("testclient", 50_000), "server": ("api.example.com", 80), "state": {},
    }  # fmt: skip
    told = []

    async def receive():
        return {"type": "http.request", "body": content, "more_body": False}

    async def send(message):
        told.append(message)

    service.client.blocking_portal.call(service.app, scope, receive, send)
    return told[0]["status"], json.loads(b"".join(one.get("body", b"") for one in told[1:]))


def test_a_path_of_any_length_has_a_key(service):
    for named in ("x" * 4000, "%00", "é"):
        answer = post(service, "k", {}, f"{ALL}/{named}/secret/rotate")
        assert (answer.status_code, answer.json()["code"]) == (404, "webhook_not_found")


def test_a_database_that_is_away_is_503_and_keeps_nothing(serve, world):
    service = serve(world)
    database = Database(service.parts.settings.control_database_url)
    service.get(ALL)
    with database.writing() as session:
        session.execute(text("ALTER TABLE idempotent_requests RENAME TO away"))
    answer = post(service, "k")
    assert (answer.status_code, answer.json()["code"]) == (503, "service_unavailable")
    with database.writing() as session:
        session.execute(text("ALTER TABLE away RENAME TO idempotent_requests"))
        assert session.scalar(select(func.count()).select_from(Subscription)) == 0
    assert post(service, "k").status_code == 201
    database.close()


def test_keys_of_other_methods_are_not_read(service):
    made = post(service, "k").json()["id"]
    headers = service.headers | {"Idempotency-Key": ""}
    assert service.client.patch(f"{ALL}/{made}", headers=headers, json={}).status_code == 200
    assert service.client.get(ALL, headers=headers).status_code == 200
