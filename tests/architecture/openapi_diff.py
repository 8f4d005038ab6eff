"""What of a document of v1 would break a caller who relies on an earlier one (docs/contract/contract.md 4.13).

`breaks(published, document)` is pure. What callers send (parameters, request bodies) may only become wider; what they
receive (answers, headers, deliveries) may only become narrower, or grow keys where the contract says so. Words marked
`x-extensible-enum` may grow. Does not belong here: schemas themselves (`openapi_diff_schemas`), or when a new major
version is made.
"""

from collections.abc import Iterator
from typing import Any

from openapi_diff_schemas import Sides, Way, schema_breaks

Json = dict[str, Any]
_METHODS = {"get", "put", "post", "delete", "options", "head", "patch", "trace"}


def breaks(published: Json, document: Json) -> list[str]:
    """One line per break, naming its place; empty where every caller of the published document is still served."""
    sides = Sides(published, document)
    return list(_document(sides))


def _document(sides: Sides) -> Iterator[str]:
    old, new = sides.old, sides.new
    if old["info"]["version"].split(".")[0] != new["info"]["version"].split(".")[0]:
        yield "info.version: another major version has a document and a path of its own"
    for path, item in old["paths"].items():
        there = new["paths"].get(path, {})
        for method in item.keys() & _METHODS:
            yield from _operation(sides, f"{method.upper()} {path}", item[method], there.get(method))
    for name, item in old.get("webhooks", {}).items():
        there = new.get("webhooks", {}).get(name, {})
        yield from _webhook(sides, f"webhook {name}", item["post"], there.get("post"))
    yield from _components(old["components"], new["components"])


def _components(old: Json, new: Json) -> Iterator[str]:
    """Names of schemas are in generated clients, and event types name them by address."""
    for kind in ("schemas", "securitySchemes"):
        for name in old.get(kind, {}).keys() - new.get(kind, {}).keys():
            yield f"components.{kind}.{name}: removed"
    for name, scheme in old.get("securitySchemes", {}).items():
        there = new.get("securitySchemes", {}).get(name, scheme)
        if (scheme["type"], scheme.get("scheme")) != (there["type"], there.get("scheme")):
            yield f"components.securitySchemes.{name}: another way to authenticate"


def _operation(sides: Sides, where: str, old: Json, new: Json | None) -> Iterator[str]:
    if new is None:
        yield f"{where}: removed"
        return
    if old["operationId"] != new["operationId"]:
        yield f"{where}: operationId renamed"
    if _open_to_all(sides.old, old) and not _open_to_all(sides.new, new):
        yield f"{where}: needs a key now"
    yield from _parameters(sides, where, old, new, Way.SENT)
    yield from _body(sides, f"{where} body", old.get("requestBody"), new.get("requestBody"), Way.SENT)
    for status, answer in old["responses"].items():
        there = new["responses"].get(status)
        if there is None:
            yield f"{where} {status}: removed"
        else:
            yield from _answer(sides, f"{where} {status}", sides.of_old(answer), sides.of_new(there))
    for status in new["responses"]:
        if status not in old["responses"] and status[0] in "123":
            yield f"{where} {status}: a new success that callers do not expect"


def _webhook(sides: Sides, where: str, old: Json, new: Json | None) -> Iterator[str]:
    """Turned round: what is sent to a receiver is what callers receive."""
    if new is None:
        yield f"{where}: removed"
        return
    yield from _parameters(sides, where, old, new, Way.RECEIVED)
    yield from _body(sides, f"{where} body", old.get("requestBody"), new.get("requestBody"), Way.RECEIVED)
    for status in old["responses"]:
        if status not in new["responses"]:
            yield f"{where} {status}: no longer taken as an answer"


def _open_to_all(document: Json, operation: Json) -> bool:
    return {} in operation.get("security", document.get("security", [{}]))


def _parameters(sides: Sides, where: str, old: Json, new: Json, way: Way) -> Iterator[str]:
    before = {(one["name"], one["in"]): one for one in map(sides.of_old, old.get("parameters", ()))}
    after = {(one["name"], one["in"]): one for one in map(sides.of_new, new.get("parameters", ()))}
    for key, parameter in before.items():
        place = f"{where} {key[1]} '{key[0]}'"
        there = after.get(key)
        if there is None:
            yield f"{place}: removed"
            continue
        yield from _obligation(place, parameter, there, way)
        for trait in ("style", "explode"):
            if parameter.get(trait) != there.get(trait):
                yield f"{place}: {trait} changed"
        yield from schema_breaks(sides, place, parameter["schema"], there["schema"], way)
    for key, parameter in after.items():
        if way is Way.SENT and key not in before and parameter.get("required"):
            yield f"{where} {key[1]} '{key[0]}': added as required"


def _obligation(where: str, old: Json, new: Json, way: Way) -> Iterator[str]:
    must, had = new.get("required", False), old.get("required", False)
    if way is Way.SENT and must and not had:
        yield f"{where}: required now"
    if way is Way.RECEIVED and had and not must:
        yield f"{where}: no longer always there"


def _body(sides: Sides, where: str, old: Json | None, new: Json | None, way: Way) -> Iterator[str]:
    if old is None or new is None:
        if old is not None or (way is Way.SENT and new is not None and new.get("required")):
            yield f"{where}: {'removed' if old else 'added as required'}"
        return
    yield from _obligation(where, old, new, way)
    yield from _contents(sides, where, old, new, way)


def _answer(sides: Sides, where: str, old: Json, new: Json) -> Iterator[str]:
    for name, header in old.get("headers", {}).items():
        place = f"{where} header '{name}'"
        there = new.get("headers", {}).get(name)
        if there is None:
            yield f"{place}: removed"
            continue
        before, after = sides.of_old(header), sides.of_new(there)
        yield from _obligation(place, before, after, Way.RECEIVED)
        yield from schema_breaks(sides, place, before["schema"], after["schema"], Way.RECEIVED)
    for name in old.get("links", {}):
        if name not in new.get("links", {}):
            yield f"{where} link '{name}': removed"
    yield from _contents(sides, where, old, new, Way.RECEIVED)


def _contents(sides: Sides, where: str, old: Json, new: Json, way: Way) -> Iterator[str]:
    for media_type, content in old.get("content", {}).items():
        there = new.get("content", {}).get(media_type)
        if there is None:
            yield f"{where} {media_type}: removed"
        else:
            yield from schema_breaks(sides, where, content["schema"], there["schema"], way)
