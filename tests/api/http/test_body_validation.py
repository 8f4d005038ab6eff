"""Request bodies cost what their length is: work is counted for a body and for one twice as long."""

import json

import pytest
from rapidfuzz import process

from api.http import json_body
from api.http.body_validation import ValidationErrors, parse_body
from api.problems.problem import ProblemError
from api.webhooks.subscriptions.requests import NewSubscription

MEMBERS = 2_000
PARSED_MEMBERS = 25  # four times as many are parsed in one object


class CountedName(str):
    """A name whose comparisons are counted."""

    comparisons = 0
    __slots__ = ()

    def __eq__(self, other):
        CountedName.comparisons += 1
        return str.__eq__(self, other)

    __hash__ = str.__hash__


def comparisons_of(names):
    """Comparisons of names until the repeated one among them is found."""
    CountedName.comparisons = 0
    with pytest.raises(ProblemError, match="appears twice in one object"):
        json_body.reject_duplicate_members([(CountedName(name), None) for name in names])
    return CountedName.comparisons


def test_parse_object_of_repeated_members_compares_linearly():
    def repeated(count):
        return comparisons_of([f"m{number}" for number in range(count)] * 2)

    def repeated_last(count):
        return comparisons_of([*(f"m{number}" for number in range(count)), f"m{count - 1}"])

    for comparisons in (repeated, repeated_last):
        assert comparisons(2 * PARSED_MEMBERS) <= 2.3 * max(comparisons(PARSED_MEMBERS), PARSED_MEMBERS)


def test_parse_object_names_the_first_member_that_is_repeated():
    body = json.dumps({f"m{number}": 1 for number in range(3)})[:-1] + ',"m2":1,"m1":1}'
    with pytest.raises(ProblemError) as caught:
        json_body.parse_object(body.encode())
    assert caught.value.detail == "'m1' appears twice in one object."


@pytest.fixture
def suggestions(monkeypatch):
    """The names for which a known one was looked for."""
    compared = []
    extract_one = process.extractOne

    def counted(name, *rest, **named):
        compared.append(name)
        return extract_one(name, *rest, **named)

    monkeypatch.setattr(process, "extractOne", counted)
    return compared


def test_parse_body_of_unknown_members_suggests_for_twenty(suggestions):
    for count in (MEMBERS, 2 * MEMBERS):
        suggestions.clear()
        errors = ValidationErrors()
        assert parse_body(NewSubscription, {f"descripton{number}": 1 for number in range(count)}, errors, 10) is None
        assert suggestions == [f"descripton{number}" for number in range(20)]
        assert errors.count == count + 1
        assert len(errors.errors) == 100
        assert errors.errors[19].detail == "'descripton19' is not known; did you mean 'description'?"
        assert errors.errors[20].detail == "'descripton20' is not known"


def test_parse_body_of_long_unknown_members_compares_none(suggestions):
    errors = ValidationErrors()
    assert parse_body(NewSubscription, {"description" * 6: 1}, errors, 10) is None
    assert suggestions == []
    assert errors.errors[0].detail.startswith(f"'{('description' * 6)[:60]}' is not known; allowed: endpoint_url, ")
