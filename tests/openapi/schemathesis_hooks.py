"""A check of ours beside those of schemathesis: a request that fits the document is refused for a named reason only.

Loaded by schemathesis (`hooks` of schemathesis.toml). The document cannot say that a cursor must have been issued here,
or that parameters belong together; only these two may refuse what else is valid.
"""

import schemathesis

_CURSOR = {"invalid_cursor", "cursor_mismatch", "cursor_expired"}
# Parameters that need one another: an amount its currency, an industry the scheme it is of, relevance a text.
_TOGETHER = (
    {"currency", "revenue_min", "revenue_max"},
    {"industry", "industry_scheme"},
    {"sort", "q"},
)


@schemathesis.check
def a_refusal_has_its_reason(context, response, case):
    """Of valid requests, 400 is for cursors, for numbers of another market, and for parameters that do not agree."""
    mode = case.meta.generation.mode if case.meta is not None else None
    if response.status_code != 400 or mode is None or not mode.is_positive:
        return
    query = case.query or {}
    problem = response.json()
    if problem["code"] in _CURSOR:
        assert "cursor" in query, "a cursor was refused that was not sent"
        return
    if problem["code"] == "invalid_org_number":
        assert "market" in (case.path_parameters or {}), (
            "a number that fits the document is none of any market"
        )
        return
    assert problem["code"] == "invalid_parameter", f"{problem['code']} for a request that fits the document"
    for error in problem["errors"]:
        assert _belongs(error["parameter"], query), f"{error['parameter']}: {error['detail']} ({query})"


def _belongs(parameter, query):
    """Whether the parameter is refused for what stands beside it, or does not."""
    return any(parameter in together and together & set(query) for together in _TOGETHER)
