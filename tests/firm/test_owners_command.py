"""`firm owners` as an operator types it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest

from tests.firm.inside import Inside
from tests.pipelines.places import ONE, Place, owner
from warehouse.schema.ids import holder_id

COMPANY = f"firm:FI:{ONE}"
FIRST, SECOND = (holder_id(COMPANY, "fi.owners", native) for native in ("o1", "o2"))
WHO = ("--by", "anna", "--reason", "one house")


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    with dg.DagsterInstance.ephemeral() as instance:
        place = Place(tmp_path_factory.mktemp("owners"), instance=instance)
        place.plain()
        place.records("owners/o2.json", owner("o2", ONE, 50, 75, holder="Åsa Ny"))
        place.ingest()
        yield place


@pytest.fixture
def firm(loaded: Place, tmp_path: Path) -> Inside:
    return Inside(loaded.settings.data).copy(tmp_path / "data")


def test_show_judge_list_and_reverse(firm: Inside) -> None:
    shown = firm.run("owners", "show", COMPANY, "--json").report
    assert [(row["record"], row["line"], row["pct"]) for row in shown["records"]] == sorted(
        [(FIRST, FIRST, "25-50"), (SECOND, SECOND, "50-75")], key=lambda row: row[1]
    )
    said = firm.run("owners", "judge", ONE, FIRST, SECOND, "--same", *WHO)
    assert (said.exit_code, said.err) == (0, "")
    assert said.out.startswith("decision 1:")
    assert firm.run("owners", "reverse", "1", *WHO).exit_code == 0
    rows = firm.run("owners", "list", "--company", ONE, "--json").report["judgements"]
    assert [(row["number"], row["verdict"], row["in_force"], row["by"]) for row in rows] == [
        (1, "same", False, "anna"),
        (2, "reverses 1", False, "anna"),
    ]
    assert "one house" in firm.run("owners", "list").out


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("judge", COMPANY, FIRST, "own_nobody", "--same", *WHO), "own_nobody is not a holder of"),
        (("judge", COMPANY, FIRST, SECOND, *WHO), "--same or --different"),
        (("judge", COMPANY, FIRST, SECOND, "--same", "--by", "anna"), "--reason"),
        (("show", "firm:FI:1000009-9"), "no holder of"),
        (("reverse", "7", *WHO), "no decision 7"),
        (("list", "--company", "nobody"), "not a company number"),
    ],
)
def test_errors_say_what_is_wrong(firm: Inside, words: tuple[str, ...], why: str) -> None:
    said = firm.run("owners", *words)
    assert said.exit_code in (1, 2)
    assert why in said.err
    assert not firm.layout.decision_log_file.exists()


def test_nothing_judged_is_told(firm: Inside) -> None:
    said = firm.run("owners", "list")
    assert (said.exit_code, said.out) == (0, "")
    assert "no decisions yet" in said.err
