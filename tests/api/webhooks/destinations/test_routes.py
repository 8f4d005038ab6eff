"""Destinations over HTTP: made, read, merged, changed in kind; what is wrong with them; secrets seen nowhere.

See docs/contract/contract.md 4.8f.
"""

import json
import socket
import threading
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from api.auth.encryption import SecretBox
from api.database import backup
from api.database.models.webhooks import Subscription
from api.settings.webhooks import WebhookSettings
from tests.api.fixtures.amazon import Amazon
from tests.api.fixtures.delivery_engine import LOCAL
from tests.api.webhooks.destinations.conftest import KEY
from tests.tables import check_cases

ALL = "/api/v1/webhooks"
TYPES = {"event_types": ["status.changed"]}
HTTPS = {"kind": "https", "url": "https://hooks.example.com/x"}
QUEUE = "https://sqs.eu-north-1.amazonaws.com/123456789012/company-events"
SQS = {"kind": "sqs", "queue_url": QUEUE, "region": "eu-north-1"}
S3 = {"kind": "s3", "bucket": "acme-data", "prefix": "firm/events", "region": "eu-north-1"}
HINT = {"access_key_hint": "…LE01"}
OTHER_KEY = {"access_key_id": "AKIAOTHEROTHEROTHER2", "secret_access_key": "another-secret+of/forty-characters-000000"}


@pytest.fixture(scope="module")
def service(shared_serve: Any, world: Any) -> Any:
    return shared_serve(world)


def send(service: Any, method: str, path: str, body: Any = None) -> Any:
    return service.client.request(method, path, headers=service.headers, json=body)


def made(service: Any, place: dict[str, Any]) -> tuple[str, Any]:
    answer = send(service, "POST", ALL, TYPES | {"destination": place})
    assert answer.status_code == 201, answer.text
    return answer.headers["location"], answer.json()


def errors(answer: Any) -> list[tuple[str, str]]:
    assert (answer.status_code, answer.json()["code"]) == (422, "validation_failed"), answer.text
    return [(error["code"], error["pointer"]) for error in answer.json()["errors"]]


def stored(service: Any, path: str) -> Any:
    with service.database.reading() as session:
        wanted = select(Subscription).where(Subscription.subscription_id == path.rpartition("/")[2])
        return session.scalars(wanted).one()


@check_cases(
    ("place", "served", "url"),
    [
        (HTTPS, HTTPS, "https://hooks.example.com/x"),
        (SQS | KEY, SQS | HINT, QUEUE),
        (S3 | KEY, S3 | {"prefix": "firm/events/"} | HINT, "https://acme-data.s3.eu-north-1.amazonaws.com/firm/events/"),
        (
            {"kind": "s3", "bucket": "acme.data", "prefix": "", "region": "cn-north-1"} | KEY,
            {"kind": "s3", "bucket": "acme.data", "region": "cn-north-1"} | HINT,
            "https://s3.cn-north-1.amazonaws.com.cn/acme.data/",
        ),
        (
            S3 | {"endpoint": "https://s3-fips.dualstack.us-gov-west-1.amazonaws.com/", "region": "us-gov-west-1"} | KEY,
            S3 | {"prefix": "firm/events/", "endpoint": "https://s3-fips.dualstack.us-gov-west-1.amazonaws.com/",
                  "region": "us-gov-west-1"} | HINT,
            "https://s3-fips.dualstack.us-gov-west-1.amazonaws.com/acme-data/firm/events/",
        ),
        (SQS | {"queue_url": QUEUE + ".fifo"} | KEY, SQS | {"queue_url": QUEUE + ".fifo"} | HINT, QUEUE + ".fifo"),
    ],
)  # fmt: skip
def test_a_destination_is_made_and_read(service, place, served, url):
    path, answer = made(service, place)
    assert (answer["destination"], answer["endpoint_url"]) == (served, url)
    assert send(service, "GET", path).json()["destination"] == served
    [listed] = [one for one in send(service, "GET", ALL).json()["data"] if one["id"] == answer["id"]]
    assert listed["destination"] == served
    assert send(service, "DELETE", path).status_code == 204
    assert stored(service, path).credentials is None, "wiped"


def test_an_endpoint_url_is_a_destination_of_kind_https(service):
    answer = send(service, "POST", ALL, TYPES | {"endpoint_url": HTTPS["url"]})
    assert (answer.status_code, answer.json()["destination"]) == (201, HTTPS)


def test_changes_are_merged_and_another_kind_begins_anew(service):
    path, before = made(service, S3 | KEY)
    tag = send(service, "GET", path).headers["etag"]
    for same in (S3, {"kind": "s3"}, S3 | KEY, {"kind": "s3", "bucket": "acme-data", "prefix": "firm/events/"}):
        answer = send(service, "PATCH", path, {"destination": same})
        assert (answer.status_code, answer.headers.get("etag")) == (200, tag), answer.text
    sent_back = send(service, "PATCH", path, {"endpoint_url": before["endpoint_url"], "description": "x"})
    assert sent_back.json()["destination"] == before["destination"], "what a client read and sends back changes nothing"
    for change, served in (
        ({"prefix": None}, {"kind": "s3", "bucket": "acme-data", "region": "eu-north-1"} | HINT),
        ({"prefix": "a/b/"}, S3 | {"prefix": "a/b/"} | HINT),
        (OTHER_KEY, S3 | {"prefix": "a/b/", "access_key_hint": "…HER2"}),
        (SQS | KEY, SQS | HINT),
        (HTTPS, HTTPS),
        (S3 | KEY, S3 | {"prefix": "firm/events/"} | HINT),
    ):
        answer = send(service, "PATCH", path, {"destination": {"kind": "s3"} | change})
        assert (answer.status_code, answer.json()["destination"]) == (200, served), answer.text
    assert send(service, "PATCH", path, {"endpoint_url": HTTPS["url"]}).json()["destination"] == HTTPS
    assert stored(service, path).credentials is None
    missing = send(service, "PATCH", path, {"destination": {"kind": "sqs"}})
    assert errors(missing) == [("missing", f"/destination/{name}") for name in ("queue_url", "region", *KEY)]
    send(service, "PATCH", path, {"destination": SQS | KEY})
    half = send(service, "PATCH", path, {"destination": {"kind": "sqs", "access_key_id": "AKIA2"}})
    assert errors(half) == [("missing", "/destination/secret_access_key")]
    ended = send(service, "PATCH", path, {"destination": {"kind": "sqs", "region": None}})
    assert errors(ended) == [("type", "/destination/region")]


def changed(place: dict[str, str], **members: Any) -> dict[str, Any]:
    return place | KEY | members


@check_cases(
    ("place", "expected"),
    [
        ("sqs", [("type", "")]),
        (None, [("type", "")]),
        ({}, [("missing", "/kind")]),
        ({"kind": "kafka"}, [("unknown_value", "/kind")]),
        ({"kind": "https"}, [("missing", "/url")]),
        ({"kind": "https", "url": "http://a.example/"}, [("scheme_not_allowed", "/url")]),
        (SQS, [("missing", "/access_key_id"), ("missing", "/secret_access_key")]),
        (changed(SQS, bucket="acme"), [("unknown_member", "/bucket")]),
        (changed(HTTPS), [("unknown_member", "/access_key_id"), ("unknown_member", "/secret_access_key")]),
        (changed(SQS, queue="x"), [("unknown_member", "/queue")]),
        (changed(SQS, access_key_hint="…LE01"), [("unknown_member", "/access_key_hint")]),
        (changed(SQS, region="eu-west-1"), [("region_mismatch", "/queue_url")]),
        (changed(SQS, region="Stockholm"), [("format", "/region")]),
        (changed(SQS, access_key_id="a/b/c"), [("format", "/access_key_id")]),
        (changed(SQS, secret_access_key="with a blank"), [("format", "/secret_access_key")]),
        (changed(SQS, queue_url=QUEUE + "/more"), [("format", "/queue_url")]),
        (changed(SQS, queue_url=QUEUE + "?x=1"), [("format", "/queue_url")]),
        (changed(SQS, queue_url="http" + QUEUE[5:]), [("scheme_not_allowed", "/queue_url")]),
        (changed(SQS, queue_url=QUEUE.replace("https://", "https://user@")), [("userinfo_not_allowed", "/queue_url")]),
        *((changed(SQS, queue_url=f"https://{host}/123456789012/q"), [("host_not_allowed", "/queue_url")]) for host in (
            "sqs.example.com", "sqs.eu-north-1.amazonaws.com.example.com", "sqs.eu-north-1.amazonaws.com:8443",
            "ec2-203-0-113-9.eu-north-1.compute.amazonaws.com", "127.0.0.1", "169.254.169.254",
            "sqs.eu-north-1.amazonaws.com.", "evil-sqs.eu-north-1.amazonaws.com", "s3.eu-north-1.amazonaws.com")),
        (changed(S3, bucket="A"), [("format", "/bucket")]),
        (changed(S3, bucket="192.0.2.1"), [("format", "/bucket")]),
        (changed(S3, bucket="a..b"), [("format", "/bucket")]),
        (changed(S3, region="auto"), [("format", "/region")]),
        (changed(S3, prefix="/a"), [("format", "/prefix")]),
        (changed(S3, prefix="a/../b"), [("format", "/prefix")]),
        (changed(S3, prefix="a//b"), [("format", "/prefix")]),
        (changed(S3, prefix="ä?"), [("format", "/prefix")]),
        (changed(S3, prefix="x" * 513), [("too_long", "/prefix")]),
        *((changed(S3, endpoint=endpoint), [("host_not_allowed", "/endpoint")]) for endpoint in (
            "https://minio.example.com", "https://acme.s3.eu-north-1.amazonaws.com", "https://10.0.0.1",
            "https://s3.eu-north-1.amazonaws.com:9000", "https://s3.eu-north-1.amazonaws.com.example.com")),
        (changed(S3, endpoint="https://s3.eu-north-1.amazonaws.com/path"), [("format", "/endpoint")]),
        (changed(S3, endpoint="https://s3.eu-west-1.amazonaws.com"), [("region_mismatch", "/endpoint")]),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_with_its_place(service, place, expected):
    answer = send(service, "POST", ALL, TYPES | {"destination": place})
    assert errors(answer) == [(code, f"/destination{pointer}") for code, pointer in expected]
    assert KEY["secret_access_key"] not in answer.text


def test_a_body_names_one_place(service):
    assert errors(send(service, "POST", ALL, TYPES)) == [("missing", "/endpoint_url")]
    both = {"endpoint_url": HTTPS["url"], "destination": SQS | KEY}
    assert errors(send(service, "POST", ALL, TYPES | both)) == [("conflict", "/destination")]
    path, _ = made(service, HTTPS)
    assert errors(send(service, "PATCH", path, both)) == [("conflict", "/destination")]
    assert errors(send(service, "PATCH", path, {"destination": None})) == [("type", "/destination")]


def test_a_queue_whose_name_resolves_to_a_private_address_is_refused(serve, world):
    async def private(_: str) -> list[str]:
        return ["10.0.0.1"]

    service = serve(world, resolver=private)
    answer = send(service, "POST", ALL, TYPES | {"destination": SQS | KEY})
    assert (answer.status_code, answer.json()["code"]) == (422, "endpoint_not_allowed")
    assert [error["pointer"] for error in answer.json()["errors"]] == ["/destination/queue_url"]


def test_secrets_are_in_no_answer_no_log_and_no_backup(serve, world, tmp_path: Path, aws: Amazon):
    """Of the secret access key and of the key's id, in every operation that knows them, with a refusal that repeats it."""
    rules = WebhookSettings(allow_networks=LOCAL, allow_http=True, service_hosts=(aws.host,))
    service = serve(world, webhooks=rules)
    place = aws.queue("secret-queue") | KEY
    path, answer = made(service, place)
    answers = [json.dumps(answer)]
    with aws.checks_keys():
        tested = send(service, "POST", f"{path}/test", {})
    assert (tested.json()["error"], tested.json()["response_status"]) == ("access_denied", 403), tested.text
    aws.answers.append((403, json.dumps(KEY | {"__type": "x#InvalidAccessKeyId"}).encode()))
    echoed = send(service, "POST", f"{path}/test", {})
    assert (echoed.json()["error"], "…LE01" in echoed.json()["response_body"]) == ("access_denied", True)
    working = send(service, "POST", f"{path}/test", {})
    assert working.json()["outcome"] == "succeeded", working.text
    answers += [one.text for one in (tested, echoed, working, send(service, "GET", path), send(service, "GET", ALL))]
    changing = send(
        service, "PATCH", path, {"destination": {"kind": "sqs", "secret_access_key": OTHER_KEY["secret_access_key"]}}
    )
    answers += [changing.text, send(service, "PATCH", path, {"destination": place | OTHER_KEY}).text]
    backup.export_copy(service.database, tmp_path / "copy.sqlite")
    written = b"\n".join([*service.lines, (tmp_path / "copy.sqlite").read_bytes(), *map(str.encode, answers)])
    for key in (KEY, OTHER_KEY):
        assert key["secret_access_key"].encode() not in written
        assert key["access_key_id"].encode() not in written
        assert key["secret_access_key"] not in repr(stored(service, path).__dict__)
    sealed = [*backup.read_sealed_secrets(tmp_path / "copy.sqlite")]
    assert len(sealed) == 2, "the signing secret and the access key"
    opened = [SecretBox(service.secrets.sealing_keys).open(one) for one in sealed]
    assert json.loads(opened[1]) == OTHER_KEY, "the keys that a restore asks for open it"


def test_a_test_of_a_bucket_leaves_an_object_of_its_own(serve, world, aws: Amazon):
    rules = WebhookSettings(allow_networks=LOCAL, allow_http=True, service_hosts=(aws.host,))
    service = serve(world, webhooks=rules)
    path, _ = made(service, aws.bucket("tested") | KEY)
    answer = send(service, "POST", f"{path}/test", {}).json()
    [(key, body)] = aws.objects("tested").items()
    event = json.loads(body.value)
    assert key == f"firm/test-{event['event_id']}.ndjson"
    assert (event["data"]["test"], answer["request_url"]) == (True, f"{aws.endpoint}/tested/{key}")


def test_the_guard_holds_for_hosts_that_the_operator_names(serve, world):
    """A service of the operator's choice on a private address is still refused: no connection is made."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(0.2)
        host = f"127.0.0.1:{listening.getsockname()[1]}"
        service = serve(world, webhooks=WebhookSettings(allow_http=True, service_hosts=(host,)))
        place = SQS | KEY | {"queue_url": f"http://{host}/123456789012/q"}
        answer = send(service, "POST", ALL, TYPES | {"destination": place})
        assert answer.json()["code"] == "endpoint_not_allowed", answer.text
        with pytest.raises(TimeoutError):
            listening.accept()
    assert threading.active_count() < 100
