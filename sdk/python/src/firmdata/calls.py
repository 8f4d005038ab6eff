"""What each operation sends and what comes back, without sending it: shared by both clients.

Parameters are those of the API, by name; a list is sent separated by commas, None is left out.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timezone
from functools import lru_cache
from typing import Any, Generic, TypeVar, get_args
from urllib.parse import quote

import httpx
from pydantic import BaseModel, TypeAdapter

from firmdata import models
from firmdata.errors import ApiError
from firmdata.retries import retry_after

ALL_EVENTS = "/api/v1/events"
BROKEN = (httpx.TransportError, httpx.DecodingError)
"""What httpx raises where no whole answer came: bytes that cannot be unpacked are none."""
StreamedEvent = tuple[int, "models.Event | None"]
"""The number after which a stream goes on, and the event that has it; none at the stream's beginning."""

T = TypeVar("T")
_adapter = lru_cache(None)(TypeAdapter)  # building one costs more than reading an answer


@dataclass(frozen=True)
class ApiCall(Generic[T]):
    """One request, and the type of its answer."""

    method: str
    path: str
    answer: type[T]
    params: Mapping[str, str] = field(default_factory=dict)
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def row_type(self) -> Any:
        """Of the rows of a list, as its answer declares them; None for another answer."""
        answer: Any = self.answer
        fields = getattr(answer, "model_fields", {})
        return next(iter(get_args(fields["data"].annotation)), None) if "data" in fields else None

    def at_cursor(self, cursor: str) -> ApiCall[T]:
        """The same request for a further page. In a list of events of all companies the cursor replaces `since`."""
        kept = {name: value for name, value in self.params.items() if name != "since" or self.path != ALL_EVENTS}
        return replace(self, params={**kept, "cursor": cursor})

    def parse(self, content: bytes) -> T:
        """The answer; None of an operation that answers nothing. ValueError for another body, or for none."""
        if self.answer is not type(None):
            return _adapter(self.answer).validate_json(content)
        if content:
            raise ValueError("there is a body where none belongs")
        return None  # type: ignore[return-value]


def get(path: str, answer: type[T], params: Mapping[str, Any] | None = None) -> ApiCall[T]:
    """A read."""
    return ApiCall("GET", path, answer, query(params or {}))


def post(path: str, answer: type[T], body: Any) -> ApiCall[T]:
    """A change that may be repeated: it carries a key of its own."""
    sent = body.model_dump(mode="json", exclude_unset=True, by_alias=True) if isinstance(body, BaseModel) else body
    return ApiCall("POST", path, answer, {}, sent, {"Idempotency-Key": uuid.uuid4().hex})


def query(params: Mapping[str, Any]) -> dict[str, str]:
    """Parameters as they are sent. A trailing underscore, as of `from_`, is that of Python."""
    return {name.rstrip("_"): query_text(value) for name, value in params.items() if value is not None}


def query_text(value: Any) -> str:
    """One value as it is sent; ValueError for a datetime without a time zone, whose instant nobody knows."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        if value.utcoffset() is None:
            raise ValueError(f"{value.isoformat()} has no time zone: give one, as datetime.now(timezone.utc) has it")
        return value.astimezone(timezone.utc).isoformat().replace("+00:00", "Z")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Sequence) and not isinstance(value, (str, bytes)):
        return ",".join(query_text(one) for one in value)
    return str(value)


def segment(text: str) -> str:
    """A value as one segment of a path; ValueError for one that would climb out of it."""
    if text in {"", ".", ".."}:
        raise ValueError(f"{text!r} cannot be part of an address: give an id or a number")
    return quote(str(text), safe=":")


def company_path(company: str, below: str = "") -> str:
    """Path of a company, by its id or its registration number."""
    return f"/api/v1/companies/{segment(company)}{below}"


def answer_of(call: ApiCall[T], response: httpx.Response, now: float) -> T:
    """The answer in a response that succeeded; ApiError where it holds none, as a page of a proxy."""
    try:
        return call.parse(response.content)
    except ValueError as error:
        raise error_of(response, now) from error


def is_event_stream(response: httpx.Response) -> bool:
    """Whether a response is the stream, and no page, redirect or problem in its place."""
    return response.is_success and response.headers.get("Content-Type", "").lower().startswith("text/event-stream")


def error_of(response: httpx.Response, now: float) -> ApiError:
    """The error that an answer is."""
    try:
        problem = response.json()
    except ValueError:
        problem = None
    if not response.is_error or not isinstance(problem, dict) or "code" not in problem:
        missing = "no problem document" if response.is_error else "no answer of the service"
        problem = {"detail": f"{missing}, but {response.text[:200]!r}", "status": response.status_code}
    code = str(problem.get("code", "unreadable_response"))
    return ApiError(response.status_code, code, problem, retry_after(response.headers, now))
