"""Takes one JSON object apart: used keys are popped, remaining ones counted.

Types are checked, never coerced: a number where text was expected is an error of that record, not a guess.
"""

from __future__ import annotations

from typing import Any, cast

from connectors.kit.staging import SignalCounter
from warehouse.schema.types import LARGEST_INTEGER, LEAST_INTEGER


class RecordError(Exception):
    """A record that differs from its source's documentation; `path` names the place, `reason` what was found."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path or 'record'}: {reason}")
        self.path = path
        self.reason = reason


class JsonRecord:
    """One JSON object. Every method pops its key; `close` counts the remaining keys.

    Absent and null are the same (None). A value of another type raises RecordError.
    """

    def __init__(self, data: object, tally: SignalCounter, example: str, path: str = "") -> None:
        if not isinstance(data, dict):
            raise RecordError(path, f"expected an object, not {_short_repr(data)}")
        self._data = dict(cast("dict[str, Any]", data))
        self._tally = tally
        self._example = example
        self._path = path
        self._below: list[JsonRecord] = []

    def __contains__(self, key: object) -> bool:
        return key in self._data

    def take(self, key: str) -> Any:
        """The value, unchecked."""
        return self._data.pop(key, None)

    def text(self, key: str) -> str | None:
        return cast("str | None", self._pop_typed(key, str, "text"))

    def need(self, key: str) -> str:
        """Text that must be present and not blank."""
        value = self.text(key)
        if value is None or not value.strip():
            raise RecordError(self._path_of(key), "is missing" if value is None else "is blank")
        return value

    def number(self, key: str) -> int | float | None:
        return cast("int | float | None", self._pop_typed(key, (int, float), "a number"))

    def integer(self, key: str) -> int | None:
        """A whole number of at most 63 bits: 12 and 12.0, never "12" or 12.5."""
        value = self.number(key)
        if isinstance(value, float) and not value.is_integer():
            raise RecordError(self._path_of(key), f"expected a whole number, not {_short_repr(value)}")
        if value is not None and not LEAST_INTEGER <= value <= LARGEST_INTEGER:
            raise RecordError(self._path_of(key), f"expected a whole number of 63 bits, not {_short_repr(value)}")
        return None if value is None else int(value)

    def boolean(self, key: str) -> bool | None:
        return cast("bool | None", self._pop_typed(key, bool, "true or false"))

    def texts(self, key: str) -> list[str]:
        """A list of text; absent is an empty list, null and blank items are dropped."""
        kept: list[str] = []
        for item in self._pop_list(key):
            if item is not None and not isinstance(item, str):
                raise RecordError(self._path_of(key), f"expected a list of text, not of {_short_repr(item)}")
            if item is not None and item.strip():
                kept.append(item)
        return kept

    def child(self, key: str) -> JsonRecord:
        """The object of a key, or an empty one; it is closed with this one."""
        value = self.take(key)
        below = JsonRecord({} if value is None else value, self._tally, self._example, self._path_of(key))
        self._below.append(below)
        return below

    def children(self, key: str) -> list[JsonRecord]:
        """The objects of a list; absent is an empty list. They are closed with this one."""
        path = f"{self._path_of(key)}[]"
        below = [JsonRecord(item, self._tally, self._example, path) for item in self._pop_list(key)]
        self._below.extend(below)
        return below

    def ignore(self, *keys: str) -> None:
        """Pops keys that are known and not used."""
        for key in keys:
            self._data.pop(key, None)

    def close(self) -> None:
        """Counts remaining keys as `unknown_key`, here and in children."""
        for key in self._data:
            self._tally.add("unknown_key", self._path_of(key), self._example)
        self._data.clear()
        for record in self._below:
            record.close()

    def _path_of(self, key: str) -> str:
        return f"{self._path}.{key}" if self._path else key

    def _pop_typed(self, key: str, kinds: type | tuple[type, ...], due: str) -> object:
        value = self.take(key)
        # bool is an int to Python, not to a register.
        if value is None or (isinstance(value, kinds) and (kinds is bool or not isinstance(value, bool))):
            return value
        raise RecordError(self._path_of(key), f"expected {due}, not {_short_repr(value)}")

    def _pop_list(self, key: str) -> list[Any]:
        value = self.take(key)
        if value is not None and not isinstance(value, list):
            raise RecordError(self._path_of(key), f"expected a list, not {_short_repr(value)}")
        return value or []


def _short_repr(value: object) -> str:
    return repr(value)[:60]
