"""Pure functions that keep their results.

Does not belong here: which functions, and by what their arguments are told apart (`remembered`, `plain_staged`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from datetime import date
from typing import Any, Final, Generic, ParamSpec, TypeVar

import polars as pl

MOST_ENTRIES: Final = 3_000
Given = ParamSpec("Given")
Made = TypeVar("Made")


def _all(*args: Any, **values: Any) -> Any:
    return args, values


@dataclass
class Remembered(Generic[Given, Made]):
    """A pure function with its results; the oldest of many are forgotten.

    key: what its arguments are told apart by. kept: those of them that stay, as long as the result, because the key has
    their identity.
    """

    function: Callable[Given, Made]
    key: Callable[Given, Any]
    kept: Callable[Given, Any] = _all
    found: dict[Any, tuple[Made, Any]] = field(default_factory=dict)

    def __call__(self, *args: Given.args, **values: Given.kwargs) -> Made:
        key = self.key(*args, **values)
        if key not in self.found:
            if len(self.found) >= MOST_ENTRIES:
                del self.found[next(iter(self.found))]
            self.found[key] = self.function(*args, **values), self.kept(*args, **values)
        return self.found[key][0]


_PLAIN: Final = (str, int, float, date, frozenset, type(None))


def content_of(value: Any) -> Any:
    """What arguments are told apart by that are equal in many worlds, though they are other objects."""
    if isinstance(value, pl.DataFrame):
        return tuple(value.schema.items()), repr(value.rows()) if value.height else ""
    if isinstance(value, _PLAIN):
        return value
    if isinstance(value, pl.Series | tuple | list):
        return tuple(map(content_of, value))
    if isinstance(value, Mapping):
        return tuple((name, content_of(one)) for name, one in sorted(value.items()))
    if is_dataclass(value):
        return type(value), *(content_of(getattr(value, one.name)) for one in fields(value))
    raise TypeError(f"two values of {type(value)} are not told apart")


def by_content(function: Callable[Given, Made]) -> Remembered[Given, Made]:
    """A pure function that keeps its results by the content of its arguments."""
    return Remembered(function, lambda *args, **values: content_of((args, values)), lambda *_args, **_values: None)
