"""The keys of a msgspec type as a tree, for checking decoded JSON."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any, cast

import msgspec.inspect as types


@dataclass(slots=True)
class KeyTree:
    """Keys of one object and the trees below them. `is_open`: any key is allowed (a dict).

    unread: keys that a type keeps as raw bytes (`msgspec.Raw`), which decoded JSON no longer has.
    """

    keys: frozenset[str] = frozenset()
    children: dict[str, KeyTree] = field(default_factory=dict)
    is_open: bool = True
    values: KeyTree | None = None
    unread: frozenset[str] = frozenset()

    @staticmethod
    @cache  # depends on the declaration alone, and costs more than reading a small body
    def of(kind: Any) -> KeyTree:
        """The tree of a Struct type."""
        return _key_tree(types.type_info(kind)) or KeyTree()

    def strip(self, value: Any, count: Callable[[str], None], path: str = "") -> None:
        """Removes unread and unknown keys from decoded JSON.

        Unknown keys are passed to `count` as paths, with lists as `[]`.
        """
        if isinstance(value, list):
            for item in value:
                self.strip(item, count, f"{path}[]" if path else path)
        elif isinstance(value, dict):
            self._strip_object(value, count, path)

    def _strip_object(self, value: dict[str, Any], count: Callable[[str], None], path: str) -> None:
        for key in () if self.is_open else value.keys() - self.keys:
            del value[key]
            count(_join_path(path, key))
        for key in value.keys() & self.unread:
            del value[key]
        for key in value.keys() & self.children.keys():
            self.children[key].strip(value[key], count, _join_path(path, key))
        for item in value.values() if self.values is not None else ():
            cast("KeyTree", self.values).strip(item, count, _join_path(path, "*"))


def _join_path(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key


def _key_tree(kind: types.Type) -> KeyTree | None:
    """The tree of a type; None if nothing below it is checked."""
    if isinstance(kind, types.StructType):
        below = {part.encode_name: tree for part in kind.fields if (tree := _key_tree(part.type)) is not None}
        unread = frozenset(part.encode_name for part in kind.fields if isinstance(part.type, types.RawType))
        keys = frozenset(part.encode_name for part in kind.fields)
        return KeyTree(keys, below, is_open=False, unread=unread)
    if isinstance(kind, types.UnionType):
        return next((tree for part in kind.types if (tree := _key_tree(part)) is not None), None)
    if isinstance(kind, types.ListType | types.VarTupleType):
        return _key_tree(kind.item_type)
    if isinstance(kind, types.DictType) and (values := _key_tree(kind.value_type)) is not None:
        return KeyTree(values=values)
    return None
