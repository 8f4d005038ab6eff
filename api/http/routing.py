"""What Litestar calls before each handler of the API: access control, then the body and the query.

A handler states its path, access (`policy`, see `api.http.context`) and texts in its decorator; GET also answers
HEAD (`api.http.middleware`). Its function's name is the id of its operation: `list_events` is `listEvents`. The model
of its parameters is that of `request` in its signature: `ApiRequest[SearchParams]`. Does not belong here: what a
handler returns (`api.routes`).
"""

from collections.abc import Iterable
from types import ModuleType
from typing import Any, Final, cast, get_args, get_type_hints

from litestar import Request
from litestar.handlers import HTTPRouteHandler
from litestar.routes import HTTPRoute

from api.http.access_control import authorize, check_url
from api.http.context import READS, ApiRequest, RoutePolicy, current_request
from api.http.cors import options_headers
from api.http.json_body import read_object
from api.http.query.model import QueryModel
from api.http.responses import HttpResponse

_ORDER: Final = ("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE")


def handlers_in(*modules: ModuleType, tag: str | None = None) -> tuple[HTTPRouteHandler, ...]:
    """Every handler that the modules declare, in their order.

    Operations of the OpenAPI document get their ids, `tag` where their decorators name none, and `query` in their
    `opt`: the model of their parameters.
    """
    handlers = [one for module in modules for one in vars(module).values() if isinstance(one, HTTPRouteHandler)]
    for handler in handlers:
        if "operation" in handler.opt:
            first, *others = handler.fn.__name__.split("_")
            handler.operation_id = first + "".join(map(str.capitalize, others))
            handler.tags = handler.tags or ([tag] if tag else None)
            handler.opt.setdefault("query", get_args(get_type_hints(handler.fn)["request"])[0])
    return tuple(handlers)


async def check_request(request: Request[Any, Any, Any]) -> HttpResponse | None:
    """Answers OPTIONS; else checks access, then reads the body and the query, in the contract's order (4.10)."""
    context = current_request()
    if context.method == "OPTIONS":
        return options_response(request)
    if context.path != context.scope["path"] and context.method in READS:
        context.canonical_path = context.scope["path"]
    context.route_policy = policy = request.route_handler.opt["policy"]
    if policy.requires_key:
        await authorize(context)
    else:
        check_url(context.scope["raw_path"], context.query_string)
    if policy.body is not None:
        context.json_body = await read_object(request.receive, policy.body)
    query: type[QueryModel] | None = request.route_handler.opt.get("query")
    if query is not None:
        cast("ApiRequest[QueryModel]", request).values = query.read(context.query_string)
    return None


def options_response(request: Request[Any, Any, Any]) -> HttpResponse:
    """Response to OPTIONS: the methods of the path, and which pages may read its responses."""
    context = current_request()
    template = context.path_template
    route = next(one for one in request.app.routes if isinstance(one, HTTPRoute) and one.path_format == template)
    policies = (one.opt.get("policy") for one in route.route_handlers)
    context.route_policy = next((one for one in policies if isinstance(one, RoutePolicy)), context.route_policy)
    return HttpResponse(204, options_headers(context, sort_methods(route.methods)), b"")


def sort_methods(methods: Iterable[str]) -> str:
    """Methods in the contract's order (4.10, method_not_allowed); HEAD comes with GET."""
    allowed = {*methods}
    return ", ".join(one for one in _ORDER if one in allowed or (one == "HEAD" and "GET" in allowed))
