from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from connectors.contract.dataset import Scope
from pipelines.runtime.batch_ids import batch_instant, batch_name, next_batch
from pipelines.settings import IngestSettings
from pipelines.sources.folder import FolderError, list_day_folders, matches_pattern, plan_files
from tests.pipelines.invented import MARKET
from tests.tables import check_cases
from warehouse.settings.errors import SettingError

AT = datetime(2026, 5, 1, 9, 30, tzinfo=UTC)


def write(path: Path, text: str = "number,name,status,date\nend") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@check_cases(
    ("inside", "pattern", "expected"),
    [
        ("register/a.csv", "register/*", True),
        ("register/deep/a.csv", "register/*", False),
        ("accounts/2025/01/a.json", "accounts/**", True),
        ("accounts/a.json", "accounts/**/*.json", True),
        ("accounts/x/y/a.json", "accounts/**/*.json", True),
        ("other/a.json", "accounts/**", False),
        ("deep/down/a.zip", "*.zip", True),
    ],
)
def test_globs(inside: str, pattern: str, expected: bool) -> None:
    assert matches_pattern(inside, pattern) is expected


def test_when_a_file_is_known_since(tmp_path: Path) -> None:
    write(tmp_path / "fi/register/register-2025-02-03.csv")
    write(tmp_path / "fi/register/register.csv")
    [day] = list_day_folders(tmp_path)
    seen = {entry.name: entry.observed_at for entry in plan_files(day, MARKET, AT).entries}
    assert seen == {
        "fi/register/register-2025-02-03.csv": datetime(2025, 2, 3, tzinfo=UTC),
        "fi/register/register.csv": AT,
    }
    write(tmp_path / "day.json", json.dumps({"observed_at": "2026-04-30T05:00:00Z"}))
    [day] = list_day_folders(tmp_path)
    entry = plan_files(day, MARKET, AT).entries[1]
    assert entry.observed_at == datetime(2026, 4, 30, 5, tzinfo=UTC)


def test_only_the_folders_own_word_makes_a_dataset_complete(tmp_path: Path) -> None:
    write(tmp_path / "fi/register/register.csv")
    write(tmp_path / "fi/owners/o.json", "{}")
    [day] = list_day_folders(tmp_path)
    assert {entry.scope for entry in plan_files(day, MARKET, AT).entries} == {Scope.PART}
    write(tmp_path / "day.json", json.dumps({"date": "2026-04-30", "complete": ["fi.register"]}))
    [day] = list_day_folders(tmp_path)
    scopes = {entry.dataset: entry.scope for entry in plan_files(day, MARKET, AT).entries}
    assert scopes == {"fi.register": Scope.FULL, "fi.owners": Scope.PART}


def test_days_come_in_order_and_other_files_beside_them_are_left(tmp_path: Path) -> None:
    for name in ("2026-01-02", "2026-01-01"):
        write(tmp_path / name / "fi/register/register.csv")
    write(tmp_path / "truth.json", "{}")
    assert [day.prefix for day in list_day_folders(tmp_path)] == ["2026-01-01/", "2026-01-02/"]
    assert [day.prefix for day in list_day_folders(tmp_path / "2026-01-01")] == [""]


@pytest.mark.parametrize("text", ["{torn", '{"date": "yesterday"}', "[]"])
def test_a_day_that_cannot_be_read_says_what_is_due(tmp_path: Path, text: str) -> None:
    write(tmp_path / "day.json", text)
    with pytest.raises(FolderError, match="expected "):
        list_day_folders(tmp_path)


def test_a_place_that_is_no_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(FolderError, match="is not a folder"):
        list_day_folders(tmp_path / "nowhere")


def test_batches_are_named_by_when_they_begin_and_never_twice() -> None:
    assert batch_name(AT) == "20260501T093000000Z"
    assert batch_instant("20260501T093000123Z") == AT.replace(microsecond=123_000)
    assert next_batch(AT, ["20260501T093000000Z"]) == "20260501T093000001Z"
    assert next_batch(AT, ["20260501T235959999Z"]) == "20260502T000000000Z"


def test_settings_come_from_variables_and_say_what_is_wrong() -> None:
    settings = IngestSettings.read({"FIRM_DATA": "/x", "FIRM_WORKERS": "3"})
    assert (settings.data, settings.processes, settings.keep_releases) == (Path("/x"), 3, 5)
    with pytest.raises(SettingError, match="FIRM_KEEP_RELEASES must be a whole number from 1, not '0'"):
        IngestSettings.read({"FIRM_KEEP_RELEASES": "0"})
