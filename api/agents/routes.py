"""`POST /mcp`: tools for agents over Streamable HTTP (docs/contract/contract.md 4.8g); not in the OpenAPI document.

Belongs here: who may send a message, and refusals in the protocol's words. Does not belong here: answering messages
(`api.agents.tool_server`).
"""

from dataclasses import replace
from typing import Final

import msgspec
from litestar import post
from litestar.types import Receive, Scope, Send

from api.auth.allowed_origins import parse_origin
from api.common.redaction import redact
from api.http.context import SECRET_KEY, PlainRequest, RequestContext
from api.http.json_body import BodyPolicy
from api.http.query.model import NoParameters
from api.http.response_headers import JSON, NO_STORE, VARY
from api.http.responses import HttpResponse
from api.openapi.setting_words import fill_words, setting_words
from api.problems.problem import ProblemError, new_problem, render_problem

PATH: Final = "/mcp"
_INVALID_REQUEST: Final = -32600
_INTERNAL_ERROR: Final = -32603
_SERVER_FAULT: Final = 500
_SHOWN: Final = 200
_ADVICE: Final = {"origin_not_allowed": "Call them from a program, not from a page."}
"""Where the advice of the problem's page is about something else."""


class ToolResponse(HttpResponse):
    """What the tools answer to one message, which has been read and checked."""

    __slots__ = ("_context", "_message")

    def __init__(self, context: RequestContext, message: bytes) -> None:
        super().__init__(200, (), b"")
        self._context = context
        self._message = message

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        pending = [self._message]

        async def replay() -> object:
            if pending:
                return {"type": "http.request", "body": pending.pop(), "more_body": False}
            return await receive()

        self._context.response_headers += [NO_STORE, VARY]
        await self._context.services.tool_server.answer(scope, replay, send)  # type: ignore[arg-type]


@post(PATH, policy=replace(SECRET_KEY, is_counted=False, body=BodyPolicy()), query=NoParameters)
async def answer_message(request: PlainRequest) -> HttpResponse:
    """A message takes one request of the burst and none of the quota; what its tool asks is counted as it always is."""
    _check_origin(request.context)
    return ToolResponse(request.context, msgspec.json.encode(request.context.required_json_body))


def is_tools_path(path: str) -> bool:
    """True for the path of the tools."""
    return path.rstrip("/") == PATH


def refusal_response(context: RequestContext, problem: ProblemError) -> HttpResponse:
    """A problem as a JSON-RPC error, whose message says what to do: agents show nothing else of a response."""
    context.problem_code = problem.problem_type.code
    settings, kind = context.services.settings, problem.problem_type
    advice = _ADVICE.get(kind.code, kind.fix)
    error = {
        "code": _INTERNAL_ERROR if problem.status >= _SERVER_FAULT else _INVALID_REQUEST,
        "message": f"{context.problem_code}: {problem.detail} {advice}",
        "data": msgspec.Raw(render_problem(problem, context.request_id, settings.public_url)),
    }
    body = fill_words(msgspec.json.encode({"jsonrpc": "2.0", "id": None, "error": error}), setting_words(settings))
    headers = [JSON, (b"content-length", b"%d" % len(body)), NO_STORE, VARY, *problem.headers]
    return HttpResponse(problem.status, headers, body)


def _check_origin(context: RequestContext) -> None:
    """403 for a page of another site: a name of its own may lead to this service (DNS rebinding).

    Programs name no origin. The protocol demands the check of every server («Security Warning» of its transports).
    """
    named = context.request_headers.get(b"origin")
    if named is None:
        return
    text = named.decode("latin-1")
    own = parse_origin(context.services.settings.public_url)
    if own is None or parse_origin(text) != own:
        raise new_problem("origin_not_allowed", f"Pages of '{redact(text)[:_SHOWN]}' may not call the tools.")
