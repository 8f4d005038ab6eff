"""What one request carries through the service beside ASGI's own scope.

`api.edge` makes a `Call` for every request and enters it; admission fills in the caller; handlers get it.
It is kept in a context variable for those whom Litestar or logging calls without it.
Does not belong here: what the service as a whole consists of (`api.service`).
"""

from contextvars import ContextVar
from dataclasses import dataclass
from enum import Enum
from typing import Final

from litestar.types import HTTPScope

from api.auth import Caller
from api.bodies import Body, Object
from api.service import Service

NO_BODY: Final = Body()


class Sharing(Enum):
    """Which pages of other sites may read a route's answers (CORS)."""

    NOBODY = "nobody"
    PAGES = "pages of a publishable key's domains"
    ANYONE = "anyone"


@dataclass(frozen=True, slots=True)
class Route:
    """What is known of a path before its handler runs. `path` is the template, one of few: metrics name it."""

    path: str
    sharing: Sharing
    counted: bool = True
    """Whether its answers count against the month's quota."""
    secret_only: bool = False
    """Whether publishable keys are refused."""
    body: Body = NO_BODY
    """What it takes as a body; of one that it does not read, what it lets pass."""
    needs_webhooks: bool = False
    """Whether only tiers with webhooks may ask."""


UNROUTED: Final = Route("unknown", Sharing.NOBODY)


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
    left: int = 0
    """Tokens left in the account's burst, or why there was none (`api.limits`)."""
    client: str = ""
    """The caller's address: the socket's, or what trusted proxies say (`api.proxies`)."""
    route: Route = UNROUTED
    problem: str | None = None
    """Code of the problem that was answered."""
    sent: Object | None = None
    """The JSON object that was sent, where the operation takes one."""

    @property
    def body(self) -> Object:
        """The JSON object that was sent; only for operations that take one."""
        if self.sent is None:
            raise RuntimeError("this operation takes no body")
        return self.sent

    @property
    def places(self) -> dict[str, str]:
        """Values of the path's parameters, once it has been routed."""
        return self.scope["path_params"]

    @property
    def known_caller(self) -> Caller:
        """Who asks; only for routes behind admission."""
        if self.caller is None:
            raise RuntimeError("this route is not behind admission, it has no caller")
        return self.caller

    @property
    def account_id(self) -> str:
        """The account that asks; only for routes behind admission."""
        return self.known_caller.account_id


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
