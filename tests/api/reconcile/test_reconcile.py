"""Reconciliation as OpenRefine asks for it: forms with JSON, every answer held to the protocol's schemas."""

import base64
import json
from datetime import date

import pytest
from jsonschema import ValidationError

from api.openapi.examples import reconcile as examples
from api.reconcile.models import ExtendedRows, ReconciliationManifest, ReconciliationResult
from tests.api.reconcile import protocol
from tests.tables import check_cases

PATH = "/api/v1/reconcile"
EKSEMPEL, OTHER_NO, EXEMPEL, EXEMPEL_HB, BAT, TWIN_SE, TWIN_NO, UK = (
    *("firm:NO:999999999", "firm:NO:923609016", "firm:SE:5599999991", "firm:SE:5599999983", "firm:SE:5560000001"),
    *("firm:SE:5560125790", "firm:NO:974760673", "firm:UK:01234567"),
)


def lei_of(body):
    return f"{body}{98 - int(''.join(str(int(sign, 36)) for sign in body + '00')) % 97:02}"


LEI = lei_of("5493000000000000BO")


@pytest.fixture(scope="module")
def reconciled(new_world):
    made = new_world()
    company = made.company
    companies = [
        company(EKSEMPEL, "EKSEMPEL ASA", municipality="STAVANGER", is_listed=True, registered_date=date(1999, 5, 1)),
        company(OTHER_NO, "Ørret & Sønner AS"),
        company(EXEMPEL, "Exempel AB", municipality="Lund"),
        company(EXEMPEL_HB, "Exempel HB", municipality="Malmö"),
        company(BAT, "Båtbolaget <i>AB</i>", municipality="Göteborg", status="dormant"),
        company(TWIN_SE, "Nordtvilling AB"),
        company(TWIN_NO, "Nordtvilling AS"),
        company(UK, "GENERAL INTERNATIONAL SERVICES LIMITED", previous_names=["OLD LTD", "OLDER LTD"]),
    ]
    known = {"company_id": BAT, "scheme": "lei", "value": LEI, "register": "x.y", "observed_at": made.world.now}
    made.publish(companies, known_as=[known], periods=[made.period(EKSEMPEL, 2025, revenue=-5)])
    return made.world


@pytest.fixture(scope="module")
def service(shared_serve, reconciled):
    return shared_serve(reconciled)


def basic(key, user="openrefine"):
    return {"Authorization": "Basic " + base64.b64encode(f"{user}:{key}".encode()).decode()}


def send(service, **fields):
    return service.client.post(PATH, headers=basic(service.key), data=fields)


def ask(service, **queries):
    protocol.check(protocol.QUERIES, queries)
    answer = send(service, queries=json.dumps(queries))
    assert answer.status_code == 200, answer.text
    protocol.check(protocol.RESULTS, answer.json())
    assert [*answer.json()] == [*queries]
    return answer.json()


def matched(service, query):
    """The company that a query means, and the others that it may mean."""
    found = ask(service, q0=query)["q0"]["result"]
    assert [one["score"] for one in found if one["match"]] in ([], [found[0]["score"]] if found else [])
    meant = [one["id"] for one in found if one["match"]]
    return (meant[0] if meant else None), [one["id"] for one in found if not one["match"]]


def stated(**properties):
    return [{"pid": pid, "v": value} for pid, value in properties.items()]


@check_cases(
    ("query", "company", "others"),
    [
        ({"query": "Eksempel"}, EKSEMPEL, []),
        ({"query": "999999999"}, EKSEMPEL, []),
        ({"query": "firm:NO:999999999"}, EKSEMPEL, []),
        ({"query": LEI}, BAT, []),
        ({"query": "SE 559999-9991 01"}, EXEMPEL, []),
        ({"query": "1234567", "properties": stated(country="GB")}, UK, []),
        ({"query": "999 999 999", "properties": stated(country="NO")}, EKSEMPEL, []),
        ({"query": "whatever", "properties": stated(lei=LEI)}, None, [BAT]),  # another name than it has
        ({"query": "", "properties": stated(lei=LEI)}, BAT, []),
        ({"properties": stated(vat=[{"id": "NO999999999MVA"}])}, EKSEMPEL, []),
        ({"query": "Exempel", "properties": stated(country="SE")}, None, [EXEMPEL_HB, EXEMPEL]),
        ({"query": "Exempel", "properties": stated(country="SE", municipality="lund")}, EXEMPEL, [EXEMPEL_HB]),
        ({"query": "Exempel AB"}, EXEMPEL, [EXEMPEL_HB]),
        ({"query": "Exempel AB", "limit": 1}, EXEMPEL, []),
        ({"query": "Exempel AB", "properties": stated(status="dormant")}, None, [EXEMPEL, EXEMPEL_HB]),
        ({"query": "Exempel AB", "properties": stated(status=["active", "dormant"])}, EXEMPEL, [EXEMPEL_HB]),
        ({"query": "Exempel AB", "properties": stated(is_listed=False, lei="")}, EXEMPEL, [EXEMPEL_HB]),
        ({"query": "Exempel AB", "properties": stated(website="x.example")}, EXEMPEL, [EXEMPEL_HB]),  # states none
        ({"query": "Nordtvilling"}, None, [TWIN_NO, TWIN_SE]),  # one in each of two markets
        ({"query": "Nordtvilling", "type": "company:SE"}, TWIN_SE, []),
        ({"query": "Nordtvilling", "properties": stated(country="NO")}, TWIN_NO, []),
        ({"query": "Nordtvilling", "type": ["company", "company:NO"], "type_strict": "all"}, TWIN_NO, []),
        ({"query": "Nordtvilling", "type": ["company:FI", "company:NO"], "type_strict": "any"}, TWIN_NO, []),
        ({"query": "Nordtvilling", "type": ["company:SE", "company:NO"], "type_strict": "all"}, None, []),
        ({"query": "999999999", "type": "company:SE"}, None, []),
        ({"query": "Ericsson"}, None, []),
        ({"query": "Batbolaget i ab i"}, BAT, []),
        ({"query": "7-Eleven 2"}, None, []),
        ({"query": ""}, None, []),
    ],
)
def test_a_match_is_what_a_look_up_would_say(service, query, company, others):
    meant, rest = matched(service, query)
    assert (meant, sorted(rest)) == (company, sorted(others))


@check_cases(
    ("pid", "value", "feature"),
    [
        ("registered_date", "1999-05-01", "registered_date"),
        ("registered_date", "1999-05-01T00:00:00Z", "registered_date"),  # as `extend` has told it
        ("registered_date", "1999-05-02T00:00:00Z", "other_registered_date"),
        ("latest_revenue", -5, "latest_revenue"),
        ("latest_revenue", "-5", "latest_revenue"),
        ("latest_revenue", 5, "other_latest_revenue"),
        ("latest_year", 2025.0, "latest_year"),
        ("is_listed", True, "is_listed"),
        ("is_listed", "False", "other_is_listed"),
        ("name", "Eksempel, ASA", "name"),
        ("name", "- EKSEMPEL ASA", "name"),
    ],
)
def test_another_property_is_compared_by_what_it_says(service, pid, value, feature):
    query = {"query": "Eksempel ASA", "properties": [{"pid": pid, "v": value}]}
    [first, *_] = ask(service, q0=query)["q0"]["result"]
    assert first["id"] == EKSEMPEL
    assert [one["id"] for one in first["features"][1:]] == [feature]
    assert first["match"] == (not feature.startswith("other_"))


def test_candidates_have_names_types_scores_and_features(service):
    found = ask(
        service, name={"query": "Exempel AB", "properties": stated(status="active")}, number={"query": "5599999991"}
    )
    first, other = found["name"]["result"]
    assert first["type"] == [{"id": "company", "name": "Company"}, {"id": "company:SE", "name": "Company of Sweden"}]
    assert first["description"] == "5599999991, Lund, active"
    assert first["features"] == [{"id": "exact_name", "value": True}, {"id": "status", "value": True}]
    assert first["score"] > other["score"]
    assert "other_form" in [feature["id"] for feature in other["features"]]
    [exact] = found["number"]["result"]
    assert (exact["score"], exact["features"]) == (100, [{"id": "id", "value": True}])


@check_cases(
    ("query", "code", "pointer"),
    [
        ({"query": "x", "properties": stated(status="active", lei="123")}, "format", "/q/properties/1/v"),
        ({"query": "x", "properties": stated(country="Atlantis")}, "unknown_value", "/q/properties/0/v"),
        ({"query": "x", "properties": stated(lei=["1", "2"])}, "too_many", "/q/properties/0/v"),
        ({"query": "x", "properties": stated(isin="x" * 61)}, "too_long", "/q/properties/0/v"),
        ({"query": "x" * 301}, "too_long", "/q/query"),
        ({"query": " "}, "missing", "/q"),
        ({"properties": stated(municipality="Lund")}, "missing", "/q"),
        ({"properties": stated(number="5599999991")}, "missing", "/q"),
    ],
)
def test_a_value_that_no_company_can_have_is_told_of_its_query_alone(service, query, code, pointer):
    found = ask(service, q=query, r={"query": "999999999"})
    assert found["q"]["result"] == []
    assert [(error["code"], error["pointer"]) for error in found["q"]["errors"]] == [(code, pointer)]
    assert found["r"]["result"][0]["match"]
    assert "errors" not in found["r"]


@check_cases(
    ("fields", "status", "due"),
    [
        ({"queries": '{"q":'}, 400, None),
        ({"queries": "[]"}, 400, None),
        ({"queries": '{"q":{"query":"a"},"q":{"query":"b"}}'}, 400, None),
        ({}, 422, [("missing", "")]),
        ({"queries": "{}", "extend": "{}"}, 422, [("missing", "")]),
        ({"callback": "x"}, 422, [("unknown_member", "/callback")]),
        ({"queries": {f"q{place}": {"query": "a"} for place in range(51)}}, 422, [("too_many", "")]),
        ({"queries": {"q": 1, "r": {"name": "x"}}}, 422, [("type", "/q"), ("unknown_member", "/r/name")]),
        ({"queries": {"q": {"query": 5}}}, 422, [("type", "/q/query")]),
        ({"queries": {"q": {"query": "a", "type": "Q5"}}}, 422, [("unknown_value", "/q/type")]),
        ({"queries": {"q": {"query": "a", "limit": 0}}}, 422, [("out_of_range", "/q/limit")]),
        ({"queries": {"q": {"properties": stated(colour="x")}}}, 422, [("unknown_value", "/q/properties/0/pid")]),
        ({"queries": {"q": {"properties": stated(lei=None)}}}, 422, [("type", "/q/properties/0/v")]),
        ({"queries": {"k" * 61: {"query": "a"}}}, 422, [("too_long", "/" + "k" * 60)]),
        ({"queries": "x" * 128_001}, 422, [("too_long", "/queries")]),
        ({"extend": "x" * 128_001}, 422, [("too_long", "/extend")]),
        ({"extend": {"ids": ["x"]}}, 422, [("missing", "/properties")]),
        ({"extend": {"ids": [], "properties": [{"id": "colour"}]}}, 422, [("unknown_value", "/properties/0/id")]),
        (
            {"extend": {"ids": [], "properties": [{"id": "lei", "settings": {"a": 1}}]}},
            422,
            [("unknown_member", "/properties/0/settings")],
        ),
    ],
)
def test_what_does_not_follow_the_shape_refuses_the_request(service, fields, status, due):
    sent = {name: one if isinstance(one, str) else json.dumps(one) for name, one in fields.items()}
    answer = send(service, **sent)
    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/problem+json"), answer.text
    if due is not None:
        assert [(error["code"], error["pointer"]) for error in answer.json()["errors"]] == due


def test_bodies_are_forms_within_a_limit(service):
    def post(content, media_type="application/x-www-form-urlencoded"):
        headers = service.headers | {"Content-Type": media_type}
        answer = service.client.post(PATH, headers=headers, content=content)
        return answer.status_code, answer.json()["code"], answer.json()["detail"]

    assert post(b"{}", "application/json")[::2] == (415, "Send application/x-www-form-urlencoded.")
    assert post(b"queries={}&queries={}")[:2] == (400, "invalid_parameter")
    assert post(b"queries=%ff")[:2] == (400, "invalid_parameter")
    assert post(b"queries=" + b"x" * (1 << 18))[:2] == (413, "payload_too_large")
    assert post(b"queries={" + b"%5B" * 1_600 + b"}")[:2] == (413, "payload_too_large")


def test_a_get_answers_the_manifest_or_what_a_post_would(service):
    manifest = service.client.get(PATH, headers=service.headers)
    protocol.check(protocol.MANIFEST, manifest.json())
    queries = json.dumps({"q0": {"query": "Exempel AB"}})
    read = service.client.get(PATH, headers=service.headers, params={"queries": queries})
    assert read.json() == send(service, queries=queries).json()
    extend = json.dumps({"ids": [BAT], "properties": [{"id": "lei"}]})
    read = service.client.get(PATH, headers=service.headers, params={"extend": extend})
    assert read.json()["rows"] == {BAT: {"lei": [{"str": LEI}]}}
    refused = service.client.get(PATH, headers=service.headers, params={"callback": "jsonp1"})
    assert (refused.status_code, refused.json()["code"]) == (400, "unknown_parameter")


def test_every_address_of_the_manifest_answers(service):
    manifest = service.client.get(PATH, headers=service.headers).json()
    base = manifest["identifierSpace"].removesuffix("/api/v1/companies/")

    def get(url, **query):
        answer = service.client.get(url.removeprefix(base), headers=service.headers, params=query or None)
        assert answer.status_code == 200, answer.text
        return answer

    for kind, prefix, schema in (
        ("entity", "exem", EXEMPEL),
        ("type", "swe", "company:SE"),
        ("property", "lei", "lei"),
    ):
        suggest = manifest["suggest"][kind]
        answer = get(suggest["service_url"] + suggest["service_path"], prefix=prefix).json()
        protocol.check(protocol.SUGGESTED, answer)
        assert schema in [one["id"] for one in answer["result"]]
    propose = manifest["extend"]["propose_properties"]
    proposed = get(propose["service_url"] + propose["service_path"], type="company", limit="3").json()
    protocol.check(protocol.PROPOSED, proposed)
    assert [one["id"] for one in proposed["properties"]] == ["country", "number", "lei"]
    assert "EKSEMPEL ASA" in get(manifest["preview"]["url"].replace("{{id}}", EKSEMPEL)).text


def test_suggested_companies_continue_after_a_cursor_and_are_of_a_type(service):
    def ids(**query):
        answer = service.client.get(f"{PATH}/suggest/entity", headers=service.headers, params=query)
        return [one["id"] for one in answer.json()["result"]]

    first = ids(prefix="exempel")
    assert sorted(first) == [EXEMPEL_HB, EXEMPEL]
    assert ids(prefix="exempel", cursor="1") == first[1:]
    assert ids(prefix="nordtvilling", type="company:NO") == [TWIN_NO]
    refused = service.client.get(f"{PATH}/suggest/entity", headers=service.headers)
    assert refused.json()["errors"][0]["parameter"] == "prefix"


def test_values_are_told_in_the_forms_of_the_protocol(service):
    names = ["name", "registered_date", "is_listed", "previous_names", "employees", "lei"]
    extend = {"ids": [EKSEMPEL, UK, "firm:NO:000000000", "?", UK], "properties": [{"id": one} for one in names]}
    protocol.check(protocol.EXTENSION, extend)
    answer = send(service, extend=json.dumps(extend)).json()
    protocol.check(protocol.VALUES, answer)
    assert [one["id"] for one in answer["meta"]] == names
    assert [*answer["rows"]] == [EKSEMPEL, UK, "firm:NO:000000000", "?"]
    row = answer["rows"][EKSEMPEL]
    assert row["registered_date"] == [{"date": "1999-05-01T00:00:00Z"}]
    assert (row["is_listed"], row["lei"]) == ([{"str": "true"}], [])
    assert answer["rows"][UK]["previous_names"] == [{"str": "OLD LTD"}, {"str": "OLDER LTD"}]
    assert set(map(str, answer["rows"]["?"].values())) == {"[]"}


def test_the_preview_is_a_page_without_scripts(service):
    page = service.client.get(f"{PATH}/preview", headers=basic(service.key), params={"id": BAT})
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert "<h1>Båtbolaget &lt;i&gt;AB&lt;/i&gt;</h1>" in page.text
    policy = page.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "script" not in page.text + policy
    for wanted, status in (("firm:NO:000000000", 404), ("hello", 400)):
        refused = service.client.get(f"{PATH}/preview", headers=service.headers, params={"id": wanted})
        assert (refused.status_code, refused.headers["content-type"]) == (status, "application/problem+json")
    assert refused.json()["errors"][0]["parameter"] == "id"


def test_the_key_is_a_bearer_token_or_the_password_of_basic(service):
    def get(headers, path=PATH, **query):
        answer = service.client.get(path, headers=headers, params=query or None)
        return answer.status_code, answer.headers.get_list("www-authenticate")

    assert get(service.headers)[0] == get(basic(service.key))[0] == get(basic(service.key, ""))[0] == 200
    bearer = 'Bearer realm="firm"'  # browsers ask for no password by it, and so store no key
    for sent in ({}, {"Authorization": "Basic !"}, basic("")):
        assert get(sent) == (401, [bearer])
    assert get(basic("wrong", service.key)) == (401, [f'{bearer}, error="invalid_token"'])
    assert get(basic(service.key), "/api/v1/usage") == (401, [bearer])  # no other operation takes it
    assert get(service.headers, key=service.key)[0] == 400


def test_publishable_keys_do_not_reconcile(service):
    key = service.accounts.create_key("owner@example.com", "public", domains=("example.com",)).key
    headers = {"Authorization": f"Bearer {key}", "Origin": "https://example.com"}
    assert service.client.get(PATH, headers=headers).json()["code"] == "key_kind_not_allowed"


def test_every_ten_queries_or_companies_count_as_one_request(serve, reconciled):
    service = serve(reconciled)

    def remaining(**fields):
        return int(send(service, **fields).headers["x-ratelimit-remaining"])

    before = remaining(queries="{}")
    queries = json.dumps({f"q{place}": {"query": EKSEMPEL} for place in range(21)})
    assert remaining(queries=queries) - before == -3
    extend = json.dumps({"ids": [f"x{place}" for place in range(50)], "properties": []})
    assert remaining(extend=extend) - before == -8
    assert remaining(queries="{") - before == -9  # what is refused is one


def test_the_schemas_of_the_protocol_refuse_what_is_not_of_it():
    for schema, wrong in (
        (protocol.MANIFEST, {"versions": ["0.1"]}),
        (protocol.RESULTS, {"q0": []}),
        (protocol.VALUES, {"meta": [], "rows": {"x": {"lei": ["text"]}}}),
        (protocol.QUERIES, {"q0": {"limit": 1}}),
    ):
        with pytest.raises(ValidationError):
            protocol.check(schema, wrong)


def test_the_examples_are_answered(service):
    def get(path="", **query):
        return service.client.get(PATH + path, headers=service.headers, params=query or None).json()

    assert get() == examples.MANIFEST
    assert send(service, **examples.FORM).json() == examples.RESULTS
    extend = {"ids": [EKSEMPEL], "properties": [{"id": "name"}, {"id": "registered_date"}, {"id": "employees"}]}
    assert send(service, extend=json.dumps(extend)).json() == examples.EXTENDED_ROWS
    ReconciliationManifest.model_validate(examples.MANIFEST, strict=True, extra="forbid")
    for result in examples.RESULTS.values():
        ReconciliationResult.model_validate(result, strict=True, extra="forbid")
    ExtendedRows.model_validate(examples.EXTENDED_ROWS, strict=True, extra="forbid")
    assert get("/suggest/entity", prefix="eks") == examples.SUGGESTED_ENTITIES
    assert get("/suggest/type", prefix="nor") == examples.SUGGESTED_TYPES
    assert get("/suggest/property", prefix="l") == examples.SUGGESTED_PROPERTIES
    assert get("/extend/propose", type="company", limit="2") == examples.PROPOSED_PROPERTIES
