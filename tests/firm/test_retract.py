"""`firm retract` as an operator has it: one file dated wrongly, and what is served, told and reported after it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pipelines.maintenance.retract import RetractionRequest, retract
from pipelines.settings import IngestSettings
from pipelines.workspace import WorkspaceOverrides
from tests.firm.inside import Inside
from tests.firm.test_repeated_transitions import COMPANY, OFF, ON, day_folder, entity, statuses
from warehouse.ledger.ledger import Ledger

FILE = "no/enheter/entity.json"


def ingest_day(firm: Inside, root: Path, day: str, *, is_bankrupt: bool) -> None:
    folder = day_folder(root / day, f"{day}T04:00:00Z", {FILE: entity(is_bankrupt=is_bankrupt)})
    firm.ingest(folder, "no")


def listed(firm: Inside) -> list[dict[str, Any]]:
    return firm.run("retract", "--list", "--json").report["batches"]


def served_status(firm: Inside) -> str:
    return firm.profiles({"companies": [COMPANY]})[COMPANY]["status"]


@pytest.mark.slow
def test_retract_wrongly_dated_file_gives_the_register_its_voice_back(tmp_path: Path) -> None:
    firm = Inside(tmp_path / "data")
    ingest_day(firm, tmp_path, "2026-11-02", is_bankrupt=False)
    ingest_day(firm, tmp_path, "2026-11-20", is_bankrupt=True)
    ingest_day(firm, tmp_path, "2026-11-04", is_bankrupt=False)
    assert (statuses(firm, COMPANY), served_status(firm)) == ([ON], "dormant"), "late-arriving, and silent"
    before = [(one.sequence, one.event_id) for one in Ledger(firm.layout).after(0, 10)]
    wrong = next(one["batch"] for one in listed(firm) if one["observed_at"].startswith("2026-11-20"))

    looked = firm.run("retract", wrong, "--dry-run", "--json").report
    assert (looked["retracted"], looked["markets"][0]["events"]) == (False, {"status.changed": 1})
    assert (statuses(firm, COMPANY), served_status(firm)) == ([ON], "dormant")

    said = firm.run("retract", wrong, "--by", "anna", "--reason", "dated 20 for 3 November")
    assert said.exit_code == 0, said.err
    assert "events: status.changed 1" in said.out
    assert "retracted; release 3 published" in said.out
    assert (statuses(firm, COMPANY), served_status(firm)) == ([ON, OFF], "active")
    [state] = [one["state"] for one in listed(firm) if one["batch"] == wrong]
    assert state.startswith("retracted 2026-")
    assert state.endswith(" by anna: dated 20 for 3 November")
    doctor = firm.run("doctor").out
    assert f"batch {wrong} was retracted on" in doctor
    assert "nothing of it has come since: ingest no" in doctor

    ingest_day(firm, tmp_path, "2026-11-05", is_bankrupt=True)
    assert (statuses(firm, COMPANY), served_status(firm)) == ([ON, OFF, ON], "dormant")
    assert "nothing of it has come since" not in firm.run("doctor").out
    now = [(one.sequence, one.event_id) for one in Ledger(firm.layout).after(0, 10)]
    assert now[: len(before)] == before
    [done] = firm.run("rebuild", "no", "--json").report["rebuilt"]
    assert (done["told"], done["untold"], done["missing"]) == (3, {}, {})
    assert served_status(firm) == "dormant"


class RunEndedError(Exception):
    """The command ends in the middle."""


@pytest.mark.slow
def test_doctor_names_an_interrupted_retraction_until_an_ingest_completes_it(tmp_path: Path) -> None:
    firm = Inside(tmp_path / "data")
    ingest_day(firm, tmp_path, "2026-11-02", is_bankrupt=False)
    ingest_day(firm, tmp_path, "2026-11-03", is_bankrupt=True)

    def die(step: str) -> None:
        if step == "batch retracted":
            raise RunEndedError

    request = RetractionRequest((listed(firm)[-1]["batch"],), by="anna", reason="wrong file")
    with pytest.raises(RunEndedError):
        retract(IngestSettings(data=firm.data), request, overrides=WorkspaceOverrides(on_step=die))
    assert "by anna: wrong file; interrupted\tthe next ingest of no completes it" in firm.run("doctor").out
    assert served_status(firm) == "dormant"
    ingest_day(firm, tmp_path, "2026-11-04", is_bankrupt=False)
    assert "; interrupted" not in firm.run("doctor").out
    assert (statuses(firm, COMPANY), served_status(firm)) == ([ON, OFF], "active")


def test_retract_wrong_use_names_what_to_do(tmp_path: Path) -> None:
    firm = Inside(tmp_path / "data")
    none = firm.run("retract", "20261121T080455123Z", "--dry-run")
    assert (none.exit_code, none.out) == (1, "")
    assert "batch 20261121T080455123Z is unknown" in none.err
    assert "firm retract --list shows the batches" in none.err
    for arguments, message in (
        ((), "name the batches to retract"),
        (("20261121T080455123Z",), "give --by and --reason"),
    ):
        said = firm.run("retract", *arguments)
        assert (said.exit_code, said.out) == (2, ""), said.err
        assert message in said.err


@pytest.mark.slow
def test_the_list_of_batches_is_limited_to_what_is_named(tmp_path: Path) -> None:
    firm = Inside(tmp_path / "data")
    ingest_day(firm, tmp_path, "2026-11-02", is_bankrupt=False)
    whole = listed(firm)
    for only, expected in (("no.enheter", {"no.enheter"}), ("NO", {one["dataset"] for one in whole}), ("se", set())):
        found = firm.run("retract", "--list", "--only", only, "--json").report["batches"]
        assert {one["dataset"] for one in found} == expected
    unknown = firm.run("retract", "--list", "--only", "no.enhetr")
    assert (unknown.exit_code, unknown.out) == (2, "")
    assert "no.enhetr is no market and no dataset" in unknown.err


@pytest.mark.slow
def test_doctor_names_the_batch_that_is_dated_in_the_future_and_its_retraction_lets_events_come(tmp_path: Path) -> None:
    firm = Inside(tmp_path / "data")
    ingest_day(firm, tmp_path, "2026-11-02", is_bankrupt=False)
    folder = day_folder(tmp_path / "2062", "2062-11-03T04:00:00Z", {FILE: entity(is_bankrupt=True)})
    firm.ingest(folder, "no", "--at", "2062-11-03T05:00:00")
    [advice] = [line for line in firm.run("doctor").out.splitlines() if "dated 2062-11-03, in the future" in line]
    command = advice.partition("run: firm ")[2].split()
    assert (command[0], command[2]) == ("retract", "--only")
    said = firm.run(*command, "--by", "anna", "--reason", "2062 for 2026")
    assert said.exit_code == 0, said.err
    assert "dated 2062-11-03, in the future" not in firm.run("doctor").out
    assert "last read on a day in the future: no.enheter (2062-11-03)" in firm.run("doctor").out
    ingest_day(firm, tmp_path, "2026-11-04", is_bankrupt=True)
    assert "in the future" not in firm.run("doctor").out.replace("none dated in the future", "")
    assert (statuses(firm, COMPANY), served_status(firm)) == ([ON, OFF, ON], "dormant")
    [done] = firm.run("rebuild", "no", "--json").report["rebuilt"]
    assert (done["told"], done["untold"], done["missing"]) == (3, {}, {})


def test_a_list_of_batches_takes_no_batch(tmp_path: Path) -> None:
    said = Inside(tmp_path / "data").run("retract", "20261102T060000000Z", "--list")
    assert (said.exit_code, said.out) == (2, "")
    assert "--list shows the newest batches: give it without one" in said.err
