"""The JavaScript of a collection: skips a request before it is sent, checks and keeps values afterwards.

Clients differ in a few expressions (`ClientDialect`); everything else is the same text. Scripts are plain: one line
per check, no comments, no regular expressions. Does not belong here: where a client's file stores them.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from api.collections.account_scenario import NOT_IN_TIER
from api.collections.requests import JSON, CollectionRequest, Fields

_KIND: Final = 'const kind = (one) => (one === null ? "null" : Array.isArray(one) ? "array" : typeof one);'
_WRONG: Final = (
    "const wrong = (row, fields) => Object.keys(fields)"
    '.filter((name) => !fields[name].split(" ").includes(kind(row[name])));'
)
_ROWS: Final = "answer.data.flatMap((row) => wrong(row, rowFields))"
_INDENT: Final = "  "


@dataclass(frozen=True, slots=True)
class ClientDialect:
    """The expressions of one client."""

    value: str
    """A statement that defines `value(name)`: reads a variable of any scope."""
    keep: str
    """A statement that defines `keep(name, kept)`."""
    skip: str
    """The expression that skips the request."""
    response_expressions: tuple[str, ...]
    """Statements that define `status`, `header(name)`, `test(name, run)` and `expect(value)`."""
    body: str
    """The expression for the parsed body."""


def pre_request_lines(request: CollectionRequest, dialect: ClientDialect) -> list[str]:
    """Lines that skip a request if a variable is missing; empty if it is always sent."""
    reasons = [f"!value({_json_string(name)})" for name in request.step.needs]
    if request.needs_tier:
        reasons.append(f'value("webhooks") === {_json_string(NOT_IN_TIER)}')
    if not reasons:
        return []
    return [dialect.value, f"if ({' || '.join(reasons)}) {dialect.skip};"]


def post_response_lines(request: CollectionRequest, dialect: ClientDialect) -> list[str]:
    """Lines that check the response and keep what later requests need."""
    lines = [*_common_checks(request), *_success_checks(request, dialect)]
    helpers = {"value(": dialect.value, "keep(": dialect.keep}
    wanted = [made for name, made in helpers.items() if any(name in line for line in lines)]
    return [*wanted, *dialect.response_expressions, "", *lines]


def _common_checks(request: CollectionRequest) -> Iterator[str]:
    hint = "; 403: the tier must be Pro or Business" if request.needs_tier else ""
    yield _test_statement(f"status is {request.status}{hint}", f"expect(status).to.equal({request.status})")
    if request.response_members is not None:
        yield _test_statement(
            f"content type is {JSON}",
            f'expect((header("Content-Type") ?? "").split(";")[0]).to.equal({_json_string(JSON)})',
        )
    names = ", ".join(map(_json_string, request.response_headers))
    yield _test_statement("headers are there", f"expect([{names}].filter((name) => !header(name))).to.eql([])")


def _success_checks(request: CollectionRequest, dialect: ClientDialect) -> Iterator[str]:
    """Checks that only apply to the expected response."""
    inner = [] if request.response_members is None else [f"const answer = {dialect.body};"]
    inner += _field_checks(request)
    inner += [
        _test_statement(name, f"expect({holds}).to.equal(true)") for name, holds in _named_checks(request).items()
    ]
    inner += [f"keep({_json_string(name)}, {kept});" for name, kept in request.step.keeps.items()]
    inner += [
        f"if (!value({_json_string(name)})) keep({_json_string(name)}, {kept});"
        for name, kept in request.step.offers.items()
    ]
    if inner:
        yield f"if (status === {request.status}) {{"
        yield from (_INDENT + line for line in inner)
        yield "}"


def _field_checks(request: CollectionRequest) -> Iterator[str]:
    if not request.response_members:
        return
    yield _KIND
    yield _WRONG
    yield from _object_literal("fields", request.response_members)
    yield _test_statement("fields have their types", "expect(wrong(answer, fields)).to.eql([])")
    if request.rows:
        yield from _object_literal("rowFields", request.rows)
        yield _test_statement("fields of rows have their types", f"expect({_ROWS}).to.eql([])")


def _named_checks(request: CollectionRequest) -> Mapping[str, str]:
    """The checks of every list, and those of the step."""
    checks: dict[str, str] = {}
    if request.rows is not None:
        checks["a cursor if more rows follow"] = "!answer.has_more || answer.next_cursor !== null"
        limit = request.step.query.get("limit")
        if limit is not None:
            checks["no more rows than requested"] = f"answer.data.length <= {limit}"
    return checks | dict(request.step.checks)


def _object_literal(name: str, fields: Fields) -> Iterator[str]:
    yield f"const {name} = {{"
    for field, kinds in fields.items():
        yield f"{_INDENT}{field}: {_json_string(kinds)},"
    yield "};"


def _test_statement(name: str, statement: str) -> str:
    return f"test({_json_string(name)}, () => {statement});"


def _json_string(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
