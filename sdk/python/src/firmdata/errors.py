"""Errors of the client."""

from __future__ import annotations

from typing import Any


class FirmdataError(Exception):
    """Base of all errors of this package."""


class ConnectionFailedError(FirmdataError):
    """No answer came, also after retries; the cause is the error of httpx."""


class ApiError(FirmdataError):
    """An answer with an error (RFC 9457).

    status: of HTTP. code: stable, for programs, as `company_not_found`; `unreadable_response` if a proxy answered.
    problem: the whole body. request_id: quote it to support.
    """

    def __init__(self, status: int, code: str, problem: dict[str, Any], retry_after: float | None = None) -> None:
        detail = problem.get("detail") or problem.get("title") or "no detail"
        super().__init__(f"{status} {code}: {detail}")
        self.status = status
        self.code = code
        self.problem = problem
        self.request_id: str | None = problem.get("request_id")
        self.retry_after = retry_after
        """Seconds that the service asked to wait; None if it did not."""
