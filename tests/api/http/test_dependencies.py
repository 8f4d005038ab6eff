"""Litestar resolves one dependency of a handler at once, and starts a task group for two (`api.http.context`)."""

import inspect
from typing import Final

from api.routes import ROUTES

DEPENDENCIES: Final = {"context", "values"}  # of `api.app.new_litestar`


def test_no_operation_has_two_dependencies() -> None:
    taken = {one.fn.__name__: DEPENDENCIES & inspect.signature(one.fn).parameters.keys() for one in ROUTES}
    assert len(taken) > 30
    assert {name: found for name, found in taken.items() if len(found) > 1} == {}
