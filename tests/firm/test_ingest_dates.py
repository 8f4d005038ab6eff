"""`firm ingest` of files with wrong dates or names, and of wrong folders: nothing is accepted silently."""

import json
import shutil
from pathlib import Path

import pytest

from sandbox import World, write_days
from tests.firm.inside import Inside, Told, planned
from tests.tables import check_cases


@pytest.fixture(scope="module")
def days(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return write_days(World(seed=3, companies=60, days=2, markets=("NO",)), tmp_path_factory.mktemp("days"))


@pytest.fixture(scope="module")
def told(days: list[Path]) -> Told:
    return json.loads((days[0].parent / "truth.json").read_text())


@pytest.fixture
def firm(tmp_path: Path) -> Inside:
    """An empty data folder."""
    return Inside(tmp_path / "data")


@pytest.mark.slow
def test_ingest_day_dated_2062_keeps_the_market_able_to_make_events(
    firm: Inside, days: list[Path], told: Told, tmp_path: Path
) -> None:
    first, second = days
    wrong = tmp_path / "wrong"
    shutil.copytree(first, wrong)
    facts = json.loads((first / "day.json").read_text())
    (wrong / "day.json").write_text(json.dumps({**facts, "observed_at": "2062-11-02T04:00:00Z"}))
    said = firm.ingest(wrong, "no", exit_code=4)
    assert "QUARANTINED no.enheter: future: no/enheter_bulk_csv/enheter_alle.csv: dated 2062-" in said.err
    assert "correct the date (day.json, the file's name or its content), or this machine's clock" in said.err
    firm.ingest(first, "no")
    firm.ingest(second, "no")
    assert firm.events() == planned(told, 1).keys()
    assert "none dated in the future, no late-arriving files" in firm.run("doctor").out


@pytest.mark.slow
def test_ingest_days_in_the_wrong_order_is_said_by_report_run_log_and_doctor(firm: Inside, days: list[Path]) -> None:
    first, second = days
    firm.ingest(second, "no")
    said = firm.ingest(first, "no")
    assert said.report["events"] == {}
    assert said.report["late"]["no.enheter"] == 1
    assert "LATE no.enheter: 1 file is older than what was ingested before" in said.err
    doctor = firm.run("doctor").out
    assert "warn\tno.enheter: 1 late-arriving file in the last 50 runs" in doctor


def test_ingest_folder_of_unread_files_ends_with_four(firm: Inside, tmp_path: Path) -> None:
    (tmp_path / "files/no/notes").mkdir(parents=True)
    (tmp_path / "files/no/notes/readme.txt").write_text("hello")
    said = firm.ingest(tmp_path / "files", exit_code=4)
    assert "UNREADABLE: no input file could be read (1 file;" in said.err
    assert [file["reason"] for file in said.report["files"]] == ["no dataset reads files of this name"]


@pytest.mark.parametrize("given", [(), ("no",), ("news",)])
@pytest.mark.parametrize("name", ["", "norway/register", "se/deep"])
def test_ingest_folder_without_files_of_the_markets_is_wrong_use(
    given: tuple[str, ...], name: str, firm: Inside, tmp_path: Path
) -> None:
    (tmp_path / "files" / name).mkdir(parents=True)
    if name.startswith("norway"):
        (tmp_path / "files" / name / "register.csv").write_text("number")
    said = firm.run("ingest", *given, "--from", tmp_path / "files")
    assert (said.exit_code, said.out) == (2, ""), said.err
    assert f"{tmp_path / 'files'} has no files in {', '.join(given)}" in said.err
    assert not firm.data.exists()


@check_cases(
    ("day", "words"),
    [
        ({"complete": ["no.enhter"]}, ("complete names no.enhter, which is no dataset; did you mean no.enheter?",)),
        ({"complete": "no.enheter"}, ("complete is 'no.enheter'", "expected ")),
        ({"dat": "2026-11-02"}, ("unknown field dat", "expected ")),
    ],
)
def test_ingest_day_with_an_unknown_name_is_refused(
    day: dict[str, object], words: tuple[str, ...], firm: Inside, tmp_path: Path
) -> None:
    folder = tmp_path / words[0].replace("/", "_").replace("'", "")
    (folder / "no/enheter").mkdir(parents=True)
    (folder / "no/enheter/enheter_alle.csv").write_text("organisasjonsnummer")
    (folder / "day.json").write_text(json.dumps(day))
    said = firm.run("ingest", "--from", folder)
    assert (said.exit_code, said.out) == (1, ""), said.err
    assert all(word in said.err for word in (f"{folder / 'day.json'}: ", *words)), said.err


def test_ingest_market_folder_beside_days_is_refused(firm: Inside, tmp_path: Path) -> None:
    for name in ("2026-11-02/no/notes", "no/notes"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "readme.txt").write_text("hello")
    said = firm.run("ingest", "--from", tmp_path)
    assert said.exit_code == 1
    assert f"{tmp_path} has day folders (2026-11-02) and, beside them, no, which would not be read" in said.err


def test_ingest_folder_with_a_misspelled_market_names_it(firm: Inside, tmp_path: Path) -> None:
    for name in ("no/notes", "n0/enheter", ".git/objects"):
        (tmp_path / "files" / name).mkdir(parents=True)
        (tmp_path / "files" / name / "readme.txt").write_text("hello")
    said = firm.ingest(tmp_path / "files", "no", exit_code=4)
    assert {file["path"]: file["reason"] for file in said.report["files"]} == {
        "n0/": "no market or source group has this name: its files are not read",
        "no/notes/readme.txt": "no dataset reads files of this name",
    }


@check_cases(
    ("arguments", "words"),
    [
        (("--accept-shrink", "no.enhter", "--sandbox"), ("no.enhter is no dataset", "docs/sources.md")),
        (("--dataset", "no.enhter", "--sandbox"), ("--dataset: no.enhter is no dataset", "docs/sources.md")),
        (("--dataset", "uk.fca", "--sandbox"), ("--dataset: uk.fca belongs to none of the markets no",)),
        (("--at", "2062-11-02", "--live"), ("--at 2062-11-02T00:00:00Z is later than now",)),
    ],
)
def test_ingest_option_without_meaning_is_wrong_use(
    arguments: tuple[str, ...], words: tuple[str, ...], firm: Inside
) -> None:
    said = firm.run("ingest", "no", *arguments)
    assert (said.exit_code, said.out) == (2, ""), said.err
    assert all(word in said.err for word in words), said.err
