"""Answers a search as Elasticsearch 6.8 does, over entries in the order of their sort (docs/formats/dk.md 2).

Understood are the queries of the distributions' documented uses: everything, a range of days, terms, several of them at
once; paging by `search_after` and by scroll; a list of wanted paths. Anything else is 400, as is a window of more than
3,000 hits. Does not belong here: the entries (`cvr_http`), or a record's format (`virksomhed`, `publications`).
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from fnmatch import fnmatch
from itertools import islice
from typing import Any, Final

from sandbox.shared.response import SandboxResponse, json_response

Record = dict[str, Any]
SortKey = tuple[int, int]  # milliseconds since 1970, number
_WINDOW: Final = 3_000
_DEFAULT_SIZE: Final = 10
_MILLISECOND: Final = timedelta(milliseconds=1)
_EPOCH: Final = datetime.fromisoformat("1970-01-01T00:00:00+00:00")


@dataclass(frozen=True, slots=True)
class Entry:
    """One hit before it is asked for. `terms`: values by field, without the prefix of the record."""

    sort: SortKey
    identity: str
    terms: Mapping[str, object]
    source: Callable[[], Record]


@dataclass(frozen=True, slots=True)
class SearchIndex:
    """An index: its name, type of document, the fields of its sort, and its entries in that order."""

    name: str
    document_type: str
    sort_fields: tuple[str, str]
    entries: Sequence[Entry]


class SearchError(Exception):
    """A search that the service would not run; `kind` is the type of its error."""

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(reason)
        self.kind, self.reason = kind, reason


@dataclass(frozen=True, slots=True)
class _Search:
    """A search: bounds of the sort's first field (both included), terms, page."""

    first: int
    last: int
    terms: Mapping[str, object]
    size: int
    skipped: int
    after: SortKey | None
    paths: tuple[str, ...] | None

    def takes(self, entry: Entry) -> bool:
        """Whether an entry is a hit, on whatever page."""
        in_range = self.first <= entry.sort[0] <= self.last
        return in_range and all(entry.terms.get(name) == value for name, value in self.terms.items())


def milliseconds(stamp: str) -> int:
    """An instant as the index sorts it: milliseconds since 1970."""
    return (datetime.fromisoformat(stamp) - _EPOCH) // _MILLISECOND


def search_response(index: SearchIndex, path: str, body: bytes, scroll: str | None) -> SandboxResponse:
    """The answer to a search of `path`; `scroll`: the time for which the next pages are kept, if that is asked for."""
    try:
        asked = json.loads(body or b"{}")
        search = _parsed_search(index, asked)
    except SearchError as error:
        return _error_response(error)
    except (ValueError, TypeError, AttributeError) as error:
        return _error_response(SearchError("parsing_exception", str(error)))
    return _page_response(index, search, {"path": path, "search": asked} if scroll else None)


def scroll_body(body: bytes) -> tuple[str, bytes]:
    """Path and body of the search that a scroll goes on with. Raises SearchError for an id that is none."""
    try:
        held = json.loads(base64.b64decode(json.loads(body)["scroll_id"]))
        return held["path"], json.dumps(held["search"]).encode()
    except (ValueError, KeyError, TypeError):
        raise SearchError("search_context_missing_exception", "No search context found for id") from None


def scroll_error(error: SearchError) -> SandboxResponse:
    """The answer to a scroll that is not known."""
    return _error_response(error, 404)


def _error_response(error: SearchError, status: int = 400) -> SandboxResponse:
    cause = {"type": error.kind, "reason": error.reason}
    return json_response({"error": {"root_cause": [cause], **cause}, "status": status}, status)


def _parsed_search(index: SearchIndex, asked: Record) -> _Search:
    clauses = _query_clauses(asked.get("query") or {"match_all": {}})
    sort_field = index.sort_fields[0]
    first, last, terms = -(2**62), 2**62, dict[str, object]()
    for kind, field, value in clauses:
        if kind == "term":
            terms[field.rpartition(".")[2]] = value
        elif field != sort_field:
            raise SearchError("query_shard_exception", f"a range of [{field}] is not played")
        else:
            first, last = max(first, _bound(value, "gte", first)), min(last, _bound(value, "lte", last))
    size, skipped = asked.get("size", _DEFAULT_SIZE), asked.get("from", 0)
    if size + skipped > _WINDOW:
        raise SearchError("query_phase_execution_exception", f"Result window is too large: [{_WINDOW}]")
    _check_sort(index, asked)
    after = asked.get("search_after")
    paths = asked.get("_source")
    return _Search(
        first,
        last,
        terms,
        size,
        skipped,
        None if after is None else (int(after[0]), int(after[1])),
        tuple(paths) if isinstance(paths, list) else None,
    )


def _query_clauses(query: Record) -> list[tuple[str, str, Any]]:
    """Kind, field and value of each clause."""
    [(kind, inner)] = query.items()
    if kind == "match_all":
        return []
    if kind == "bool":
        clauses = [*inner.get("must", ()), *inner.get("filter", ())]
        if set(inner) - {"must", "filter"} or not clauses:
            raise SearchError("parsing_exception", f"[bool] with {sorted(inner)} is not played")
        return [one for clause in clauses for one in _query_clauses(clause)]
    if kind not in {"term", "range"}:
        raise SearchError("parsing_exception", f"no [query] registered for [{kind}]")
    [(field, value)] = inner.items()
    return [(kind, field, value)]


def _bound(value: Record, name: str, otherwise: int) -> int:
    unknown = set(value) - {"gte", "lte"}
    if unknown:
        raise SearchError("parsing_exception", f"[range] query does not support {sorted(unknown)}")
    return milliseconds(value[name]) if name in value else otherwise


def _check_sort(index: SearchIndex, asked: Record) -> None:
    """Only the index's own order is played; `search_after` needs it."""
    stated = asked.get("sort")
    if stated is None and "search_after" not in asked:
        return
    named = [one if isinstance(one, dict) else {one: "asc"} for one in stated or ()]
    fields = tuple(field for one in named for field in one)
    ways = {way if isinstance(way, str) else way["order"] for one in named for way in one.values()}
    if not fields or fields != index.sort_fields[: len(fields)] or ways != {"asc"}:
        raise SearchError("query_shard_exception", f"a sort by {fields} is not played")


def _page_response(index: SearchIndex, search: _Search, scrolled: Record | None) -> SandboxResponse:
    hits = [entry for entry in index.entries if search.takes(entry)]
    left = hits if search.after is None else [entry for entry in hits if entry.sort > search.after]
    page = list(islice(left, search.skipped, search.skipped + search.size))
    answer: Record = {}
    if scrolled is not None:  # the id says all that the next page needs
        after = list(page[-1].sort) if page else list(search.after or (2**62, 0))
        sort = [{field: "asc"} for field in index.sort_fields]
        held = {"path": scrolled["path"], "search": {**scrolled["search"], "sort": sort, "search_after": after}}
        answer["_scroll_id"] = base64.b64encode(json.dumps(held).encode()).decode()
    return json_response({**answer, **found_answer(index, page, len(hits), search.paths)})


def found_answer(index: SearchIndex, page: Sequence[Entry], total: int, paths: tuple[str, ...] | None = None) -> Record:
    """The envelope of some hits, of so many in all."""
    return {
        "took": 7,
        "timed_out": False,
        "_shards": {"total": 6, "successful": 6, "skipped": 0, "failed": 0},
        "hits": {"total": total, "max_score": None, "hits": [_hit(index, entry, paths) for entry in page]},
    }


def _hit(index: SearchIndex, entry: Entry, paths: tuple[str, ...] | None) -> Record:
    source = entry.source()
    return {
        "_index": index.name,
        "_type": index.document_type,
        "_id": entry.identity,
        "_score": None,
        "_source": source if paths is None else _wanted(source, paths),
        "sort": list(entry.sort),
    }


def _wanted(value: Any, paths: Sequence[str]) -> Any:
    """What a list of paths includes; a path includes all that is below it, and goes through lists."""
    if isinstance(value, list):
        return [_wanted(one, paths) for one in value]
    if not isinstance(value, dict):
        return value
    found: Record = {}
    for name, inner in value.items():
        heads = [path.partition(".") for path in paths if fnmatch(name, path.partition(".")[0])]
        if any(not rest for _, _, rest in heads):
            found[name] = inner
        elif heads and isinstance(inner, dict | list):
            found[name] = _wanted(inner, [rest for _, _, rest in heads])
    return found
