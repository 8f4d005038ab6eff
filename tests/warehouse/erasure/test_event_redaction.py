"""Events of erased subjects: what is listed stays, everything else goes, whatever is added later."""

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from api.companies.schemas.events import KINDS
from api.openapi.examples import DELIVERIES
from api.openapi_document import openapi_document
from tests.warehouse.helpers import rows
from warehouse.erasure.event_redaction import KEPT_MEMBERS, EventRedactor
from warehouse.erasure.files import erased_rows_mask
from warehouse.schema.tables import RELATIONS

PERSON = "Åsa Öberg"
SCHEMAS = json.loads(openapi_document("https://api.example.com"))["components"]


def example(event_type: str) -> dict[str, Any]:
    return json.loads(json.dumps(DELIVERIES[event_type]["data"]))


def redacted(data: dict[str, Any], *subjects: str) -> dict[str, Any]:
    companies = frozenset(one for one in subjects if one.startswith("firm:"))
    return json.loads(EventRedactor(companies, frozenset(subjects) - companies).redact_event(json.dumps(data)))


@pytest.mark.parametrize("event_type", KINDS)
def test_redact_event_of_an_erased_company_keeps_listed_members_and_the_contract(event_type: str) -> None:
    name, part, *_ = KINDS[event_type]
    data = example(event_type)
    after = redacted(data, data["company_id"])
    Draft202012Validator({"$ref": f"#/components/schemas/{name}Data", "components": SCHEMAS}).validate(after)
    assert after.keys() == data.keys()
    assert after["name"] == data["org_nr"]
    for kept in (part, "source"):
        assert after[kept].keys() == data[kept].keys()
        told = {member: value for member, value in after[kept].items() if value not in (None, [], "[erased]")}
        assert told == {member: data[kept][member] for member in told}
        assert told.keys() <= KEPT_MEMBERS[kept]


def test_relations_of_an_erased_company_or_holder_are_erased_rows() -> None:
    held, holder = "firm:NO:900000001", "own_one"
    lines = [(held, holder), (held, "own_two"), ("firm:NO:900000002", "own_three")]
    relations = rows(RELATIONS, *({"company_id": one, "holder_id": other} for one, other in lines))
    assert erased_rows_mask(relations, EventRedactor(frozenset(), frozenset({holder}))).to_list() == [
        True,
        False,
        False,
    ]
    assert erased_rows_mask(relations, EventRedactor(frozenset({held}), frozenset())).to_list() == [True, True, False]


@pytest.mark.parametrize("event_type", KINDS)
def test_redact_event_with_members_added_later_erases_them(event_type: str) -> None:
    part = KINDS[event_type][1]
    data = example(event_type)
    data[part] |= {"ultimate_owner": PERSON, "board": [{"name": PERSON}]}
    data["source"]["submitted_by"] = PERSON
    data |= {"contact": {"name": PERSON}, "spokesperson": PERSON}
    assert PERSON in json.dumps(data, ensure_ascii=False)
    assert PERSON not in json.dumps(redacted(data, data["company_id"]), ensure_ascii=False)


def test_redact_event_of_an_erased_holder_keeps_the_company_and_no_key_of_the_person() -> None:
    data = example("ownership.changed")
    data["change"] |= {"holder_name": PERSON, "holder_company_id": None, "birth_year": 1961}
    data["source"] |= {"native_id": "åsa öberg", "url": "https://register.example/persons/asa-oberg"}
    after = redacted(data, data["change"]["holder_id"])
    assert (after["name"], after["company_id"]) == (data["name"], data["company_id"])
    assert after["change"]["current_pct"] == data["change"]["current_pct"]
    assert (after["source"]["native_id"], after["source"]["url"]) == (None, None)
    assert (after["change"]["holder_name"], after["change"]["birth_year"]) == (None, None)


def test_redact_event_that_names_a_subject_in_a_new_object_erases_the_object() -> None:
    data = example("status.changed")
    data["officer"] = {"holder_id": "own_1", "name": PERSON}
    after = redacted(data, "own_1")
    assert (after["officer"], after["name"]) == (None, data["name"])


def test_redact_event_of_a_renamed_sole_trader_keeps_no_value() -> None:
    data = example("company.changed")
    data["change"]["changes"] = [{"field": "name", "previous": PERSON, "current": "Åsa Öberg Bygg"}]
    after = redacted(data, data["company_id"])
    assert after["change"] == {"changes": [], "effective_date": data["change"]["effective_date"]}
    assert (after["name"], after["org_nr"]) == (data["org_nr"], data["org_nr"])


def test_redact_event_of_others_is_the_same_text() -> None:
    text = json.dumps(example("ownership.changed"), indent=1)
    redactor = EventRedactor(frozenset({"firm:SE:1"}), frozenset({"own_1"}))
    assert redactor.redact_event(text) is text


def test_kept_members_are_members_of_the_contract() -> None:
    known: dict[str, set[str]] = {"source": set(SCHEMAS["schemas"]["EventSource"]["properties"])}
    for kind in KINDS.values():
        known.setdefault(kind.key, set()).update(kind.happened.model_fields)
    assert not any(kept - known[part] for part, kept in KEPT_MEMBERS.items())
