"""When a JSON schema breaks those who rely on an earlier one: what is sent may widen, what is received may narrow.

Does not belong here: operations, parameters, answers (`openapi_diff`).
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any

Json = dict[str, Any]
_LOWER = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties")
_UPPER = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties")
_EXACT = ("pattern", "format", "multipleOf")
_BRANCHES = ("anyOf", "oneOf", "allOf")


class Way(Enum):
    SENT = "by callers to the service"
    RECEIVED = "by callers from the service"


@dataclass(frozen=True)
class Sides:
    """Both documents, and the pairs of components on the way here (schemas may hold themselves)."""

    old: Json
    new: Json
    seen: frozenset[tuple[str, str]] = field(default_factory=frozenset)

    def of_old(self, node: Json) -> Json:
        return _resolved(self.old, node)

    def of_new(self, node: Json) -> Json:
        return _resolved(self.new, node)

    @property
    def grows(self) -> bool:
        """Inside the `data` of events, where new keys may come."""
        return any(name.endswith("Data") for name, _ in self.seen)


def _resolved(document: Json, node: Json) -> Json:
    while "$ref" in node:
        target: Any = document
        for part in node["$ref"].removeprefix("#/").split("/"):
            target = target[part]
        node = target
    return node


def schema_breaks(sides: Sides, where: str, old: Json, new: Json, way: Way) -> Iterator[str]:
    """What the new schema takes away from whoever relies on the old one."""
    if "$ref" in old or "$ref" in new:
        pair = (old.get("$ref", where), new.get("$ref", where))
        if pair in sides.seen:
            return
        sides = replace(sides, seen=sides.seen | {pair})
        old, new = sides.of_old(old), sides.of_new(new)
    yield from _types(where, old, new, way)
    yield from _words(where, old, new, way)
    yield from _bounds(where, old, new, way)
    yield from _exact(where, old, new, way)
    yield from _properties(sides, where, old, new, way)
    for keyword in _BRANCHES:
        yield from _branches(sides, f"{where} {keyword}", old, new, (keyword, way))
    if "items" in old:
        yield from schema_breaks(sides, f"{where}[]", old["items"], new.get("items", {}), way)


def _types(where: str, old: Json, new: Json, way: Way) -> Iterator[str]:
    before, after = _type_set(old), _type_set(new)
    wide, narrow = (after, before) if way is Way.SENT else (before, after)
    if wide is None:
        return
    if narrow is None or not narrow <= wide | ({"integer"} if "number" in wide else set()):
        yield f"{where}: type {old.get('type')} became {new.get('type')}"


def _type_set(schema: Json) -> set[str] | None:
    named = schema.get("type")
    return None if named is None else {named} if isinstance(named, str) else set(named)


def _words(where: str, old: Json, new: Json, way: Way) -> Iterator[str]:
    before, after = _closed(old), _closed(new)
    if way is Way.SENT:
        gone = [] if after is None else [word for word in before or () if word not in after]
        if gone or (before is None and after is not None):
            yield f"{where}: no longer takes {gone or 'every value'}"
        if "default" in old and old["default"] != new.get("default"):
            yield f"{where}: default changed"
    elif before is not None and (after is None or set(map(repr, before)) != set(map(repr, after))):
        yield f"{where}: closed words {before} became {after}"


def _closed(schema: Json) -> list[Any] | None:
    """The only values there are; None where others may come."""
    return [schema["const"]] if "const" in schema else schema.get("enum")


def _bounds(where: str, old: Json, new: Json, way: Way) -> Iterator[str]:
    for keyword in (*_LOWER, *_UPPER):
        before, after = old.get(keyword), new.get(keyword)
        if before == after:
            continue
        received = way is Way.RECEIVED
        kept, other = (before, after) if received else (after, before)
        # `kept` is the bound that the other side must not pass: the old one for what is received, else the new one
        if kept is None:
            continue
        passed = other is None or (other < kept if keyword in _LOWER else other > kept)
        if passed:
            yield f"{where}: {keyword} {before} became {after}"


def _exact(where: str, old: Json, new: Json, way: Way) -> Iterator[str]:
    """Constraints that cannot be compared: none may change; the stricter side may have one more."""
    for keyword in _EXACT:
        before, after = old.get(keyword), new.get(keyword)
        freed = after is None if way is Way.SENT else before is None
        if before != after and not freed:
            yield f"{where}: {keyword} {before!r} became {after!r}"
    before, after = old.get("uniqueItems", False), new.get("uniqueItems", False)
    if before != after and after is (way is Way.SENT):
        yield f"{where}: uniqueItems became {after}"


def _properties(sides: Sides, where: str, old: Json, new: Json, way: Way) -> Iterator[str]:
    before, after = old.get("properties", {}), new.get("properties", {})
    for name, schema in before.items():
        if name not in after:
            yield f"{where}.{name}: removed"
        else:
            yield from schema_breaks(sides, f"{where}.{name}", schema, after[name], way)
    must, had = set(new.get("required", ())), set(old.get("required", ()))
    if way is Way.SENT:
        yield from (f"{where}.{name}: required now" for name in sorted(must - had))
        if old.get("additionalProperties", True) and not new.get("additionalProperties", True):
            yield f"{where}: unknown keys are refused now"
    else:
        yield from (f"{where}.{name}: no longer always there" for name in sorted(had - must))
        if before and not sides.grows:
            yield from (
                f"{where}.{name}: a new key that is always there; put it behind include"
                for name in sorted(must - set(before))
            )


def _branches(sides: Sides, where: str, old: Json, new: Json, kind: tuple[str, Way]) -> Iterator[str]:
    keyword, way = kind
    if keyword not in old and keyword not in new:
        return
    before, after = _named(old.get(keyword, ())), _named(new.get(keyword, ()))
    for name, branch in before.items():
        if name in after:
            yield from schema_breaks(sides, f"{where} {name}", branch, after[name], way)
        else:
            yield f"{where} {name}: removed"
    widened = way is Way.SENT and keyword != "allOf" and keyword in old
    if not widened and not old.get("x-extensible"):
        yield from (f"{where} {name}: added" for name in after if name not in before)


def _named(branches: Any) -> dict[str, Json]:
    """Branches by the component they name, else by their place."""
    return {branch.get("$ref", f"#{index}").rpartition("/")[2]: branch for index, branch in enumerate(branches)}
