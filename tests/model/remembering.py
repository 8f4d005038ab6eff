"""Pure functions that keep their results.

Does not belong here: which functions, and by what their arguments are told apart (`remembered`, `plain_staged`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, Generic, ParamSpec, TypeVar

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
