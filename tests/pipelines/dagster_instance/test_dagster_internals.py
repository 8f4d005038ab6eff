"""A contract with Dagster: each private part that is replaced or relied upon is as it was when ours was written.

One that changed is named here before anything else breaks: compare it with what `pipelines/dagster_instance` makes of
it, change that where needed, then write the new fingerprint, and the version in `dagster_internals`.
"""

from __future__ import annotations

import ast
import hashlib
import inspect
import textwrap
from collections.abc import Callable
from importlib.metadata import version
from typing import Any, Final

import pytest
from dagster_postgres import DagsterPostgresStorage, PostgresEventLogStorage

from pipelines.dagster_instance import dagster_internals
from pipelines.dagster_instance.dagster_internals import (
    DagsterSqliteStorage,
    SqlEventLogStorage,
    SqliteEventLogStorage,
    SqliteRunStorage,
)

# Class, its functions, and the fingerprint of their code without comments and docstrings.
PARTS: Final[dict[tuple[type[Any], str], str]] = {
    (SqlEventLogStorage, "claim_concurrency_slot"): "318f3bee0af2",
    (SqlEventLogStorage, "has_unassigned_slots"): "de03b02197aa",
    (SqlEventLogStorage, "assign_pending_steps"): "0de4962b5abb",
    (SqlEventLogStorage, "initialize_concurrency_limit_to_default"): "38b031359d6e",
    (SqlEventLogStorage, "delete_events"): "d45edddeb849",
    (SqlEventLogStorage, "index_transaction"): "a51586642302",
    (SqliteEventLogStorage, "__init__"): "7f18b46eeb8c",
    (SqliteEventLogStorage, "_connect"): "ce1472f28f00",
    (SqliteEventLogStorage, "_initdb"): "1e5ea18cef47",
    (SqliteEventLogStorage, "has_table"): "d1336a893e91",
    (SqliteEventLogStorage, "run_connection"): "6388eca72c76",
    (SqliteEventLogStorage, "index_connection"): "5f758e093509",
    (SqliteEventLogStorage, "path_for_shard"): "d583a7cb013c",
    (SqliteEventLogStorage, "conn_string_for_shard"): "aa4cc303a640",
    (SqliteEventLogStorage, "dispose"): "faf305e3caa4",
    (SqliteRunStorage, "__init__"): "2ffb9e74dce9",
    (SqliteRunStorage, "connect"): "30468c0fbf8c",
    (SqliteRunStorage, "from_local"): "5e071ee87cec",
    (DagsterSqliteStorage, "__init__"): "e5e3766fcdc6",
    (DagsterSqliteStorage, "from_config_value"): "b174978b03e6",
    (DagsterSqliteStorage, "from_local"): "b16c977dded3",
    (DagsterSqliteStorage, "dispose"): "22406cf46df3",
    (PostgresEventLogStorage, "__init__"): "1bfa9f10c5bf",
    (DagsterPostgresStorage, "__init__"): "232679650ad6",
    (DagsterPostgresStorage, "from_config_value"): "5583af2ac590",
}


def fingerprint(function: Callable[..., Any]) -> str:
    """Of a function's code: neither comments nor its docstring count, nor where it stands."""
    source = textwrap.dedent(inspect.getsource(inspect.unwrap(function)))
    node = ast.parse(source).body[0]
    assert isinstance(node, ast.FunctionDef)
    if ast.get_docstring(node) is not None:
        del node.body[0]
    return hashlib.sha256(ast.unparse(node).encode()).hexdigest()[:12]


def changed_parts() -> list[str]:
    return [
        f"{owner.__name__}.{name} {found}"
        for (owner, name), known in PARTS.items()
        if (found := fingerprint(getattr(owner, name, changed_parts))) != known
    ]


def test_no_private_part_of_dagster_has_changed() -> None:
    assert not changed_parts(), f"changed since it was last compared with ours (Dagster {version('dagster')})"


def test_the_version_that_ours_was_written_against_is_the_installed_one() -> None:
    assert f"Dagster {version('dagster')};" in (dagster_internals.__doc__ or "")


@pytest.mark.parametrize(("owner", "name"), PARTS, ids=lambda part: getattr(part, "__name__", part))
def test_a_private_part_that_changes_is_named(owner: type[Any], name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def other(*_: object) -> None:
        """Another release's way."""

    monkeypatch.setattr(owner, name, other)
    assert [part.split()[0] for part in changed_parts()] == [f"{owner.__name__}.{name}"]


def test_a_private_part_that_is_gone_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(SqliteRunStorage, "connect")
    assert [part.split()[0] for part in changed_parts()] == ["SqliteRunStorage.connect"]
