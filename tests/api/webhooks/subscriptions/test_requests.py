"""What clients may say of a subscription: everything wrong is told at once, with pointers.

See docs/contract/contract.md 4.8, 4.10.
"""

import json
from itertools import product

import pytest

from tests.tables import check_cases

ALL = "/api/v1/webhooks"
URL = "https://hooks.example.com/company-events"
GOOD = {"endpoint_url": URL, "event_types": ["status.changed"]}


def post(service, body):
    return service.client.post(ALL, headers=service.headers, json=body)


def errors(service, **members):
    answer = post(service, GOOD | members)
    assert (answer.status_code, answer.json()["code"]) == (422, "validation_failed"), answer.text
    return [(error["code"], error["pointer"]) for error in answer.json()["errors"]]


def test_empty_entity_ids_422(service):
    """The contract's own example: two faults, told together."""
    answer = post(service, {"endpoint_url": URL, "event_types": ["filing.addded"], "entity_ids": []})
    assert answer.status_code == 422
    body = answer.json()
    assert body["detail"] == "2 fields are not valid."
    assert body["errors"] == [
        {
            "code": "unknown_event_type",
            "detail": "'filing.addded' is not an event type; did you mean 'filing.added'?",
            "pointer": "/event_types/0",
        },
        {"code": "empty_array", "detail": "omit entity_ids to receive all companies", "pointer": "/entity_ids"},
    ]


def test_one_fault_is_told_in_the_detail(service):
    answer = post(service, GOOD | {"descripton": "x"}).json()
    assert answer["detail"] == "/descripton: 'descripton' is not known; did you mean 'description'?"
    assert post(service, GOOD | {"entity_ids": []}).json()["detail"].endswith("to receive all companies.")


def test_everything_wrong_is_told_at_once(service):
    answer = post(
        service,
        {
            "endpoint_url": "http://hooks.example.com/",
            "entity_ids": ["firm:SE:5599999991", "12ab", 7],
            "description": "x" * 257,
            "max_per_second": 0,
            "status": "gone",
            "descripton": "x",
            "id": "whs_x",
            "a/b~c": 1,
        },
    )
    told = {error["pointer"]: error["code"] for error in answer.json()["errors"]}
    assert told == {
        "/endpoint_url": "scheme_not_allowed",
        "/event_types": "missing",
        "/entity_ids/1": "invalid_company",
        "/entity_ids/2": "invalid_company",
        "/description": "too_long",
        "/max_per_second": "out_of_range",
        "/status": "unknown_value",
        "/descripton": "unknown_member",
        "/id": "read_only",
        "/a~1b~0c": "unknown_member",
    }
    details = [error["detail"] for error in answer.json()["errors"]]
    assert "'descripton' is not known; did you mean 'description'?" in details
    assert answer.json()["detail"] == "10 fields are not valid."


@check_cases(
    ("member", "values", "code"),
    [
        ("event_types", [None, "status.changed", {}], "type"),
        ("event_types", [[]], "empty_array"),
        ("event_types", [["status.changed"] * 8], "too_many"),
        ("entity_ids", ["firm:SE:5599999991", 5, {}], "type"),
        ("description", [5, [], {}], "type"),
        ("description", ["a\x00b"], "format"),
        ("max_per_second", ["5", True, 1.5, []], "type"),
        ("max_per_second", [0, 101, -1, 10**30], "out_of_range"),
        ("status", [None, "", "ACTIVE", 1], "unknown_value"),
        ("endpoint_url", [None, 5, []], "type"),
        ("endpoint_url", ["", "hooks.example.com", "ftp://a.example/"], "scheme_not_allowed"),
        ("endpoint_url", ["https://user:pw@a.example/"], "userinfo_not_allowed"),
        ("endpoint_url", ["https://a.example/#x"], "fragment_not_allowed"),
        ("endpoint_url", ["https://a.example/" + "x" * 2048], "too_long"),
    ],
)
def test_members_of_the_wrong_kind(service, member, values, code):
    for value in values:
        assert errors(service, **{member: value}) == [(code, f"/{member}")], value


def test_what_is_given_twice(service):
    assert errors(service, event_types=["status.changed", "status.changed"]) == [("duplicate", "/event_types/1")]
    assert errors(service, entity_ids=["5599999991", "999999999", "5599999991"]) == [("duplicate", "/entity_ids/2")]
    spelled = post(service, GOOD | {"entity_ids": ["5599999991", "firm:SE:559999-9991"]})
    assert spelled.status_code == 201
    assert spelled.json()["entity_ids"] == ["firm:SE:5599999991"]
    assert spelled.json()["warnings"] == [
        {
            "code": "repeated_company",
            "detail": "1 of 2 entries repeat a company of another entry.",
            "pointer": "/entity_ids",
        }
    ]


def test_bounds_are_taken(service):
    service.accounts.set_tier("owner@example.com", "business")
    for members in (
        {"max_per_second": 1},
        {"max_per_second": 100.0},
        {"max_per_second": None},
        {"description": "ü" * 256},
        {"description": ""},
        {"description": None},
        {"entity_ids": None},
        {"endpoint_url": "https://a.example:8443/x?token=1"},
        {"endpoint_url": "https://bücher.example/"},
    ):
        answer = post(service, GOOD | members)
        assert answer.status_code == 201, (members, answer.text)
        for name, value in members.items():
            assert answer.json()[name] == value


def test_of_very_many_faults_the_first_hundred_are_told(service):
    answer = post(service, GOOD | {"entity_ids": [f"x{number}" for number in range(1_000)]})
    assert answer.json()["detail"] == "1000 fields are not valid."
    assert [error["pointer"] for error in answer.json()["errors"]] == [f"/entity_ids/{n}" for n in range(100)]
    over = post(service, GOOD | {"entity_ids": [f"firm:US:US{number}" for number in range(1_001)]})
    assert over.json()["errors"] == [
        {
            "code": "too_many",
            "detail": "this tier allows at most 1000 companies in one subscription",
            "pointer": "/entity_ids",
        }
    ]


@pytest.mark.parametrize(
    ("url", "code", "detail"),
    [
        ("https://127.0.0.1/x", "blocked_address", "The host is not a public internet address."),
        ("https://[::1]/x", "blocked_address", "The host is not a public internet address."),
        ("https://inside.example/x", "dns_error", None),
        ("https://a.example:22/x", "port_not_allowed", None),
        ("https://nowhere.example/x", "dns_error", None),
    ],
)
def test_endpoint_not_allowed(serve, world, url, code, detail):
    service = serve(world, resolver=some_private)
    answer = post(service, GOOD | {"endpoint_url": url})
    body = answer.json()
    assert (answer.status_code, body["code"]) == (422, "endpoint_not_allowed")
    assert [(error["code"], error["pointer"]) for error in body["errors"]] == [(code, "/endpoint_url")]
    assert detail in (None, body["detail"])
    both = post(service, GOOD | {"endpoint_url": url, "status": "x"}).json()
    assert both["code"] == "validation_failed"
    assert {error["code"] for error in both["errors"]} == {code, "unknown_value"}

    made = post(service, GOOD).json()
    path = f"{ALL}/{made['id']}"
    changed = service.client.patch(path, headers=service.headers, json={"endpoint_url": url})
    assert (changed.status_code, changed.json()["code"]) == (422, "endpoint_not_allowed")
    assert service.get(path).json()["endpoint_url"] == URL


def test_whether_a_name_is_of_a_private_address_or_of_none_is_not_told(serve, world):
    """Else a creation would read the names of the network that the service stands in."""
    service = serve(world, resolver=some_private)
    told = []
    for host in ("inside.example", "nowhere.example"):
        answer = post(service, GOOD | {"endpoint_url": f"https://{host}/x"})
        body = answer.json()
        del body["request_id"], body["instance"]
        told.append((answer.status_code, body, answer.headers.keys()))
    assert told[0] == told[1]


async def some_private(host):
    if host == "nowhere.example":
        raise OSError
    return ["93.184.215.14", "10.0.0.1"] if host == "inside.example" else ["93.184.215.14"]


def test_the_endpoint_is_looked_at_again_when_it_is_taken_up_again(serve, world):
    names = {"hooks.example.com": ["93.184.215.14"]}

    async def resolver(host):
        return names[host]

    service = serve(world, resolver=resolver)
    made = post(service, GOOD | {"status": "paused"}).json()
    path = f"{ALL}/{made['id']}"
    names["hooks.example.com"] = ["169.254.169.254"]
    refused = service.client.patch(path, headers=service.headers, json={"status": "active"})
    assert (refused.status_code, refused.json()["code"]) == (422, "endpoint_not_allowed")
    assert service.get(path).json()["status"] == "paused"
    moved = {"status": "active", "endpoint_url": "https://93.184.215.14/x"}
    assert service.client.patch(path, headers=service.headers, json=moved).status_code == 200


MALFORMED = [
    (b'{"endpoint_url":', "Unexpected end of data at byte 16."),
    (b"", "Unexpected end of data at byte 0."),
    (b'{"a":NaN}', "Invalid character at byte 5."),
    (b'{"a":1}}', "Trailing characters at byte 7."),
    (b'{"a":"\xff"}', "The body is not UTF-8 at byte 6."),
    (b"\xef\xbb\xbf{}", "Invalid character at byte 0."),
    (b'{"a":1,"b":{"c":1,"c":1}}', "'c' appears twice in one object."),
    (b'{"a":1,"\\u0061":1}', "'a' appears twice in one object."),
    (b"[]", "Send one JSON object, not an array."),
    (b"null", "Send one JSON object, not null."),
    (b"5", "Send one JSON object, not a number."),
    (b"[" * 60 + b"]" * 60, "Send one JSON object, not an array."),
    (b'{"a":' + b"[" * 60 + b"]" * 60 + b"}", "The body is nested too deeply."),
    (b'{"a":1e999}', "Number out of range."),
]


@check_cases(("content", "detail", "how"), [(*one, how) for one, how in product(MALFORMED, ("whole", "chunked"))])
def test_malformed_json(service, content, detail, how):
    """The byte is counted in what was sent."""
    sent = content if how == "whole" else iter([content[:7], content[7:]])
    headers = service.headers | {"Content-Type": "application/json"}
    answer = service.client.post(ALL, headers=headers, content=sent)
    assert (answer.status_code, answer.json()["code"]) == (400, "malformed_json")
    assert answer.json()["detail"] == detail


@pytest.mark.parametrize("how", ["whole", "chunked"])
def test_bodies_have_a_limit(service, how):
    headers = service.headers | {"Content-Type": "application/json"}

    def body(size):
        ids = [f"firm:NO:{number}" for number in range(900_000_000, 900_001_000)]
        content = json.dumps(GOOD | {"entity_ids": ids}, separators=("," + " " * 1_000, ":")).encode().ljust(size)
        return (
            content if how == "whole" else iter([content[start : start + 50_000] for start in range(0, size, 50_000)])
        )

    made = service.client.post(ALL, headers=headers, content=body(1 << 20))
    assert made.status_code == 201
    over = service.client.post(ALL, headers=headers, content=body((1 << 20) + 1))
    assert (over.status_code, over.json()["code"], over.json()["limit"]) == (413, "payload_too_large", 1 << 20)
    path = f"{ALL}/{made.json()['id']}/secret/rotate"
    content = b"{}".ljust(65_537)
    smaller = service.client.post(path, headers=headers, content=content if how == "whole" else iter([content]))
    assert (smaller.status_code, smaller.json()["limit"]) == (413, 65_536)
    fits = service.client.post(path, headers=headers, content=b"{}".ljust(65_536))
    assert fits.status_code == 200


@pytest.mark.parametrize(
    ("method", "media_type", "more", "status"),
    [
        ("POST", "application/json; charset=utf-8", {}, 201),
        ("POST", "text/plain", {}, 415),
        ("POST", "application/merge-patch+json", {}, 415),
        ("POST", "application/json", {"Content-Encoding": "gzip"}, 415),
        ("PATCH", "application/merge-patch+json", {}, 200),
        ("PATCH", "application/json-patch+json", {}, 415),
        ("PATCH", "", {}, 415),
    ],
)
def test_media_types(service, method, media_type, more, status):
    made = post(service, GOOD).json()
    path = ALL if method == "POST" else f"{ALL}/{made['id']}"
    headers = service.headers | {"Content-Type": media_type} | more
    content = json.dumps(GOOD).encode()
    answer = service.client.request(method, path, headers=headers, content=content)
    assert answer.status_code == status, answer.text


def test_queries_are_refused_where_there_are_none(service):
    answer = service.client.post(f"{ALL}?x=1", headers=service.headers, json=GOOD)
    assert (answer.status_code, answer.json()["code"]) == (400, "unknown_parameter")
