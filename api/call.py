"""What one request carries through the service beside ASGI's own scope.

`api.edge` makes a `Call` for every request and enters it; admission fills in the caller; handlers get it.
It is kept in a context variable, so that Litestar has no arguments to find and check for every request.
Does not belong here: what the service as a whole consists of (`api.service`).
"""

from contextvars import ContextVar
from dataclasses import dataclass

from litestar.types import HTTPScope

from api.auth import Caller
from api.service import Service


@dataclass(slots=True)
class Call:
    """One request: as it was asked (`path` before any rewriting), and what every answer adds."""

    service: Service
    request_id: str
    method: str
    path: str
    query: bytes
    scope: HTTPScope
    incoming: dict[bytes, bytes]
    headers: list[tuple[bytes, bytes]]
    """Headers that go onto whatever is answered; later stages (limits) append theirs."""
    started: float = 0.0
    status: int = 0
    caller: Caller | None = None

    @property
    def places(self) -> dict[str, str]:
        """Values of the path's parameters, once it has been routed."""
        return self.scope["path_params"]

    @property
    def account_id(self) -> str:
        """The account that asks; only for routes behind admission."""
        if self.caller is None:
            raise RuntimeError("this route is not behind admission, it has no account")
        return self.caller.account_id


_CURRENT: ContextVar[Call] = ContextVar("firm_call")


def enter(call: Call) -> None:
    """From here on, in this request's task, `current` is this call."""
    _CURRENT.set(call)


def current() -> Call:
    """The call of the request under way; `api.edge` has entered it."""
    return _CURRENT.get()


def current_request_id() -> str | None:
    """For log lines: None outside of requests."""
    call = _CURRENT.get(None)
    return None if call is None else call.request_id
