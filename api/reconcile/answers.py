"""Bodies of the reconciliation service's answers: manifest, candidates, values, suggestions.

See docs/contract/contract.md 4.8e. Does not belong here: matching (`api.reconcile.matching`), or their schemas
(`api.reconcile.models`).
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from api.reconcile.company_values import CompanyValues, value_texts
from api.reconcile.matching import ReconciledQuery, reconcile_queries
from api.reconcile.requests import MOST_QUERIES, ExtensionRequest, ReconciliationQuery
from api.reconcile.vocabulary import COMPANY, ENTITY_TYPES, PROPERTIES, CompanyProperty, types_of
from warehouse.reader.reader import PinnedRelease
from warehouse.reader.types import MatchCandidate, Suggestion

PATH: Final = "/api/v1/reconcile"
PREVIEW_SIZE: Final = (420, 220)
_PERCENT: Final = 100
_DESCRIBED: Final = ("number", "municipality", "status")
_SUGGESTED: Final = ("entity", "type", "property")
_DAY_BEGINS: Final = "T00:00:00Z"


def manifest(public_url: str) -> dict[str, Any]:
    """What the service offers, at this address."""
    address = public_url + PATH
    width, height = PREVIEW_SIZE
    return {
        "versions": ["0.2"],
        "name": "Firmdata companies",
        "identifierSpace": f"{public_url}/api/v1/companies/",
        "schemaSpace": f"{address}/suggest/property",
        "documentation": f"{public_url}/api/openapi.json",
        "batchSize": MOST_QUERIES,
        "authentication": {"type": "basic", "description": "The API key as the password, with any user name."},
        "defaultTypes": [_type_object(COMPANY)],
        "view": {"url": f"{address}/preview?id={{{{id}}}}"},
        "preview": {"url": f"{address}/preview?id={{{{id}}}}", "width": width, "height": height},
        "suggest": {kind: {"service_url": address, "service_path": f"/suggest/{kind}"} for kind in _SUGGESTED},
        "extend": {"propose_properties": {"service_url": address, "service_path": "/extend/propose"}},
    }


def answer_request(
    snapshot: PinnedRelease, asked: Mapping[str, ReconciliationQuery] | ExtensionRequest
) -> dict[str, Any]:
    """Candidates of each query, or values of each company."""
    if isinstance(asked, ExtensionRequest):
        return _extended_rows(snapshot, asked)
    answers = reconcile_queries(snapshot, asked.values())
    return {key: _result_object(snapshot, one) for key, one in zip(asked, answers, strict=True)}


def _result_object(snapshot: PinnedRelease, answer: ReconciledQuery) -> dict[str, Any]:
    told: dict[str, Any] = {
        "result": [
            _candidate_object(snapshot, one, is_match=answer.is_match and place == 0)
            for place, one in enumerate(answer.candidates)
        ]
    }
    if answer.errors:
        told["errors"] = [{"code": one.code, "detail": one.detail, "pointer": one.pointer} for one in answer.errors]
    return told


def _candidate_object(snapshot: PinnedRelease, candidate: MatchCandidate, *, is_match: bool) -> dict[str, Any]:
    return _described(snapshot, candidate.company_id) | {
        "type": types_of(candidate.company_id),
        "score": round(candidate.score * _PERCENT, 2),
        "match": is_match,
        "features": [{"id": reason, "value": True} for reason in candidate.reasons],
    }


def _described(snapshot: PinnedRelease, company_id: str) -> dict[str, Any]:
    """A company's id and name, and a line about it."""
    values = CompanyValues(snapshot, company_id)
    description = ", ".join(text for name in _DESCRIBED for text in value_texts(values.of(PROPERTIES[name])))
    return {"id": company_id, "name": values.of(PROPERTIES["name"]), "description": description}


def _extended_rows(snapshot: PinnedRelease, asked: ExtensionRequest) -> dict[str, Any]:
    properties = [PROPERTIES[one] for one in asked.property_ids]
    rows: dict[str, Any] = {}
    with snapshot.limited_time(1) as budget:
        for company_id in asked.company_ids:
            budget.left()
            values = CompanyValues(snapshot, company_id)
            rows[company_id] = {one.id: _value_objects(one, values.of(one)) for one in properties}
    return {"meta": [_property_object(one) for one in properties], "rows": rows}


def _value_objects(asked: CompanyProperty, value: Any) -> list[dict[str, Any]]:
    """Values in the forms of the protocol, which has no booleans and only days with a time."""
    if isinstance(value, int) and not isinstance(value, bool):
        return [{"int": value}]
    if asked.is_date:
        return [{"date": text + _DAY_BEGINS} for text in value_texts(value)]
    return [{"str": text} for text in value_texts(value)]


def suggested_entities(suggestions: Iterable[Suggestion], snapshot: PinnedRelease) -> dict[str, Any]:
    return {
        "result": [_described(snapshot, one.company_id) | {"notable": types_of(one.company_id)} for one in suggestions]
    }


def suggested_types(prefix: str) -> dict[str, Any]:
    """Types whose id, name or a word of it begins so."""
    return {"result": [_type_object(one.id) for one in ENTITY_TYPES.values() if _begins(prefix, one.id, one.name)]}


def suggested_properties(prefix: str) -> dict[str, Any]:
    """Properties whose id, name or a word of it begins so."""
    return {"result": [_property_object(one) for one in PROPERTIES.values() if _begins(prefix, one.id, one.name)]}


def proposed_properties(entity_type: str | None, limit: int | None) -> dict[str, Any]:
    """The properties of companies, the same for every type."""
    told: dict[str, Any] = {} if entity_type is None else {"type": entity_type}
    if limit is not None:
        told["limit"] = limit
    return told | {"properties": [_property_object(one) for one in PROPERTIES.values()][:limit]}


def _begins(prefix: str, id_: str, name: str) -> bool:
    typed = prefix.strip().lower()
    return any(word.startswith(typed) for word in (id_, name.lower(), *name.lower().split()))


def _type_object(id_: str) -> dict[str, Any]:
    return {"id": id_, "name": ENTITY_TYPES[id_].name}


def _property_object(one: CompanyProperty) -> dict[str, Any]:
    return {"id": one.id, "name": one.name}
