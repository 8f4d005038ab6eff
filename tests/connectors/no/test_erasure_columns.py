"""What an erased holder is told by: the names and numbers in cells that list a company's holders."""

from __future__ import annotations

import json

import polars as pl

from connectors.contract.dataset import ComputedKey
from connectors.no.erasure_columns import HOLDERS


def _named(table: str, column: str, cells: list[object]) -> list[list[str]]:
    (key,) = HOLDERS[table]
    assert isinstance(key, ComputedKey)
    return key.of(pl.DataFrame({column: [json.dumps(cell) for cell in cells]})).to_list()


def test_roles_name_persons_and_entities() -> None:
    name = {"fornavn": "Kari", "etternavn": "Værsten"}
    roles = [{"type": "INNH", "person": {"navn": name}, "enhet": None}]
    parent = [{"type": "HFOR", "enhet": {"organisasjonsnummer": "810059672", "navn": "MOR AS"}}]
    told = _named("no_roller", "rollegrupper", [roles, [], parent])
    assert told == [["kari værsten", "Kari Værsten"], [], ["810059672", "MOR AS"]]


def test_edges_name_parents() -> None:
    edges = [{"overordnet": "810059672", "navn": "MOR AS"}, {"overordnet": "810059680", "navn": None}]
    told = _named("no_konsern", "kanter", [edges])
    assert told == [["810059672", "MOR AS", "810059680"]]
