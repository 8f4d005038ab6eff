"""A check of ours beside those of schemathesis: a request that fits the document is refused for a named reason only.

Loaded by schemathesis (`hooks` of schemathesis.toml). The document cannot say that a cursor must have been issued here,
that parameters belong together, what time it is, what state a subscription is in, or how far the log reaches; only these
may refuse what else is valid.
"""

import schemathesis

_CURSOR = {"invalid_cursor", "cursor_mismatch", "cursor_expired"}
# Parameters that need one another: an amount its currency, an industry the scheme it is of, relevance a text.
_TOGETHER = (
    {"currency", "revenue_min", "revenue_max"},
    {"industry", "industry_scheme"},
    {"sort", "q"},
    {"since", "cursor"},
)

_NOT_AHEAD = {"as_of", "known_at"}
_RECONCILE = "/api/v1/reconcile"
"""Takes JSON in a text, of which the document cannot say more, in exactly one of two members."""


@schemathesis.check
def a_refusal_has_its_reason(context, response, case):
    """Valid requests are refused for what a document cannot say; each status has its few reasons."""
    mode = case.meta.generation.mode if case.meta is not None else None
    judge = _JUDGES.get(response.status_code)
    if judge is not None and mode is not None and mode.is_positive:
        judge(response.json(), case)


def _malformed(problem, case):
    """400 is for cursors, for numbers of another market, for JSON in a text, and for parameters that do not agree."""
    query = case.query or {}
    if problem["code"] in _CURSOR:
        assert "cursor" in query, "a cursor was refused that was not sent"
        return
    if problem["code"] == "malformed_json":
        assert case.operation.path == _RECONCILE, problem["detail"]
        return
    if problem["code"] == "invalid_org_number" and not case.operation.path.startswith(_RECONCILE):
        assert "market" in (case.path_parameters or {}), "a number that fits the document is none of any market"
        return
    if problem["code"] == "invalid_org_number":
        return  # of a preview
    assert problem["code"] == "invalid_parameter", f"{problem['code']} for a request that fits the document"
    for error in problem["errors"]:
        if error["parameter"] in _NOT_AHEAD and error["code"] == "out_of_range":
            continue  # the document cannot say what time it is
        if (error["parameter"], error["code"]) == ("watchlist", "unknown_watchlist"):
            continue  # nor which watchlists the account has
        assert _belongs(error["parameter"], query), f"{error['parameter']}: {error['detail']} ({query})"


def _conflicting(problem, case):
    """409 is for replays while paused, a secret while the one before still signs, and a watchlist that is filtered by."""
    if problem["code"] == "watchlist_in_use":
        assert case.operation.path == "/api/v1/watchlists/{id}", problem["detail"]
        return
    assert problem["code"] == "invalid_state", problem["detail"]
    assert case.operation.path.endswith(("/replays", "/secret/rotate")), problem["detail"]


def _changed(problem, case):
    assert problem["code"] == "precondition_failed", problem["detail"]
    assert "If-Match" in (case.headers or {}), "a condition failed that was not sent"


def _invalid(problem, case):
    """422 is for keys used before, times outside of the log, adding what is removed, and watchlists of others."""
    if problem["code"] == "idempotency_key_reused":
        assert "Idempotency-Key" in (case.headers or {}), "a key was refused that was not sent"
        return
    assert problem["code"] == "validation_failed", problem["detail"]
    wrong = {(error["code"], error["pointer"]) for error in problem["errors"]}
    if case.operation.path == "/api/v1/watchlists/{id}/companies":
        # digits in the form of a number that no register gives out, which a pattern cannot tell
        assert {code for code, _ in wrong} <= {"contradiction", "invalid_company"}, (wrong, case.body)
        return
    if case.operation.path in ("/api/v1/webhooks", "/api/v1/webhooks/{id}"):
        assert wrong <= {("unknown_watchlist", "/filters/watchlist_id")}, (wrong, case.body)
        return
    if case.operation.path == _RECONCILE:
        assert wrong == {("missing", "")}, (wrong, case.body, case.query)
        return
    assert case.operation.path.endswith("/replays"), (wrong, case.body)
    assert wrong <= {("out_of_range", "/since"), ("out_of_range", "/until")}, (wrong, case.body)


def _too_often(problem, case):
    """The limits are ample, but for tests: ten a minute each."""
    assert case.operation.path.endswith("/test"), problem["detail"]


_JUDGES = {400: _malformed, 409: _conflicting, 412: _changed, 422: _invalid, 429: _too_often}


def _belongs(parameter, query):
    """Whether the parameter is refused for what stands beside it, or does not."""
    return any(parameter in together and together & set(query) for together in _TOGETHER)
