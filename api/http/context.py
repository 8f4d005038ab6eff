"""Request context: what one request carries through the service in addition to the ASGI scope.

`api.http.middleware` creates a `RequestContext` for every request; access control sets the caller; handlers receive
it with their request. A context variable makes it available where Litestar or logging calls our code without it. Does
not belong here: the parts of the service (`api.services`).
"""

from contextvars import ContextVar
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, Any, Final, Generic, TypeAlias, TypeVar

from litestar import Request
from litestar.types import HTTPScope

from api.http.authenticator import Caller
from api.http.json_body import BodyPolicy, Object
from api.http.query.model import NoParameters, QueryModel
from api.settings.tiers import TierFeature

if TYPE_CHECKING:
    from api.services import ApiServices

Q_co = TypeVar("Q_co", bound=QueryModel, covariant=True)
READS: Final = ("GET", "HEAD")
IN_PROCESS_CALLER: Final = "firm_caller"
"""Key of the ASGI scope for who asks, set only by pages of this service: servers do not put headers under such keys."""


class CorsPolicy(Enum):
    """Which pages of other sites may read a route's responses (CORS)."""

    NO_ORIGIN = "nobody"
    REFUSALS = "anyone, but only why a request was refused"
    PAGES = "pages of a publishable key's domains"
    ANYONE = "anyone"


@dataclass(frozen=True, slots=True)
class RoutePolicy:
    """Who may call a route and what it accepts; the `policy` in a handler's `opt`."""

    cors_policy: CorsPolicy
    requires_key: bool = True
    is_counted: bool = True
    """Whether its responses count against the monthly quota."""
    is_secret_key_only: bool = False
    """Whether publishable keys are rejected."""
    accepts_basic: bool = False
    """Whether the key may be the password of HTTP Basic authentication, for programs that send nothing else."""
    required_feature: TierFeature | None = None
    """What the tier must include."""
    media_type: bytes = b"application/json"
    """Of successful responses."""
    body: BodyPolicy | None = None
    """The request body, if the route takes one."""


ANY_KEY: Final = RoutePolicy(CorsPolicy.PAGES)
SECRET_KEY: Final = RoutePolicy(CorsPolicy.REFUSALS, is_secret_key_only=True)
WEBHOOKS_TIER: Final = replace(SECRET_KEY, required_feature="webhooks")
NO_KEY: Final = RoutePolicy(CorsPolicy.NO_ORIGIN, requires_key=False)
UNROUTED: Final = RoutePolicy(CorsPolicy.REFUSALS, requires_key=False)
"""Requests that reach no handler: unknown paths and methods, sizes."""
PUBLIC_DOCUMENT: Final = RoutePolicy(CorsPolicy.ANYONE, requires_key=False)


@dataclass(slots=True)
class RequestContext:
    """One request: its original `path` before any rewriting, and the headers that every response gets."""

    services: "ApiServices"
    request_id: str
    method: str
    path: str
    query_string: bytes
    scope: HTTPScope
    request_headers: dict[bytes, bytes]
    response_headers: list[tuple[bytes, bytes]]
    """Headers of every response; later stages (limits) append theirs."""
    started_at: float = 0.0
    status: int = 0
    caller: Caller | None = None
    tokens_left: int = 0
    """Tokens left in the account's burst, or which bucket was empty (`api.rate_limits.limiter`)."""
    is_reserved: bool = False
    """Whether the request is one of the account's requests under way, which its quota takes for used."""
    counts_as_requests: int = 1
    """How many requests it is for the quota, under way and when it is counted (`reserve_requests`)."""
    client_ip: str = ""
    """The client address: the socket's, or as reported by trusted proxies (`api.http.client_ip`)."""
    route_policy: RoutePolicy = UNROUTED
    canonical_path: str | None = None
    """The path without its trailing slash, for Content-Location."""
    counts_as: int | None = None
    """The status that the quota counts, if it is not the response's own."""
    problem_code: str | None = None
    """Code of the problem in the response."""
    json_body: Object | None = None
    """The JSON object that was sent, if the operation takes one."""

    @property
    def required_json_body(self) -> Object:
        """The JSON object that was sent; only for operations that take a body."""
        if self.json_body is None:
            raise RuntimeError("this operation takes no body")
        return self.json_body

    def reserve_requests(self, requests: int) -> None:
        """Makes the request count as so many; 429 if the quota has fewer left."""
        further, limits = requests - self.counts_as_requests, self.required_caller.account_limits
        self.services.rate_limiter.check_quota_for_further(limits, further)
        limits.in_flight += further
        self.counts_as_requests = requests

    def release_quota(self) -> None:
        """Ends the reservation: the response has been counted, or there will be none."""
        if self.is_reserved and self.caller is not None:
            self.is_reserved = False
            self.caller.account_limits.in_flight -= self.counts_as_requests

    @property
    def path_template(self) -> str:
        """The route's path with the names of its parameters, after routing; labels metrics, so there are few values."""
        return self.scope.get("path_template", "unknown")

    @property
    def required_caller(self) -> Caller:
        """The authenticated caller; only for routes behind access control."""
        if self.caller is None:
            raise RuntimeError("this route is not behind admission, it has no caller")
        return self.caller

    @property
    def account_id(self) -> str:
        """The caller's account; only for routes behind access control."""
        return self.required_caller.account_id


_CURRENT: ContextVar[RequestContext] = ContextVar("firm_call")


def set_context(context: RequestContext) -> None:
    """Sets the current call for this request's task."""
    _CURRENT.set(context)


def current_request() -> RequestContext:
    """The call of the current request, set by `api.http.middleware`."""
    return _CURRENT.get()


class ApiRequest(Request[Any, Any, Any], Generic[Q_co]):
    """Litestar's request with the context of the service and the parameters that were sent.

    Not by dependencies: each of these costs a request as much as its access control
    (tests/api/http/test_dependencies.py).
    """

    __slots__ = ("values",)

    values: Q_co
    """The parameters, read with the model that the handler's signature names (`api.http.routing`)."""

    @property
    def context(self) -> RequestContext:
        return current_request()


PlainRequest: TypeAlias = ApiRequest[NoParameters]
"""The request of a handler without parameters, or whose parameters no model reads."""


def current_request_id() -> str | None:
    """Request id for log lines; None outside of requests."""
    call = _CURRENT.get(None)
    return None if call is None else call.request_id
