"""The key of person marks: made once, read again, never replaced silently."""

import base64
from pathlib import Path

import pytest

from pipelines.runtime.mark_key import MarkKeyError, load_mark_key, require_known_key
from pipelines.settings import IngestSettings
from tests.tables import check_cases
from warehouse.settings.errors import SettingError

KEY = base64.b64encode(b"k" * 32).decode()


def test_load_mark_key_makes_a_file_of_its_owner_alone_and_reads_it_again(tmp_path: Path) -> None:
    path = tmp_path / "data" / "marks.json"
    key = load_mark_key(path, None, ())
    assert len(key) == 32
    assert path.stat().st_mode & 0o777 == 0o600
    assert [file.name for file in path.parent.iterdir()] == ["marks.json"]
    assert load_mark_key(path, None, {"a1b2c3d4"}) == key
    assert load_mark_key(path, b"g" * 32, ()) == b"g" * 32, "the setting comes first"


def test_load_mark_key_that_is_missing_while_marks_exist_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "marks.json"
    with pytest.raises(MarkKeyError, match=r"a1b2c3d4.*FIRM_MARK_KEY_REPLACES"):
        load_mark_key(path, None, {"a1b2c3d4"})
    assert not path.exists()


@pytest.mark.parametrize("content", ["", "{}", "[]", '{"key": 1}', '{"key": "c2hvcnQ="}', "not json"])
def test_load_mark_key_unreadable_file_is_refused_and_kept(content: str, tmp_path: Path) -> None:
    path = tmp_path / "marks.json"
    path.write_text(content)
    with pytest.raises(MarkKeyError, match="restore it"):
        load_mark_key(path, None, ())
    assert path.read_text() == content


def test_require_known_key_refuses_another_key() -> None:
    require_known_key("a1b2c3d4", {"a1b2c3d4"})
    require_known_key("a1b2c3d4", ())
    with pytest.raises(MarkKeyError, match="is a1b2c3d4, and marks of the key 00000000 exist"):
        require_known_key("a1b2c3d4", {"a1b2c3d4", "00000000"})


def test_mark_key_of_settings_is_read_and_not_shown() -> None:
    found = IngestSettings.read({"FIRM_MARK_KEY": KEY, "FIRM_MARK_KEY_REPLACES": "a1b2c3d4 00000000"})
    assert found.mark_key == b"k" * 32
    assert found.replaced_mark_keys == {"a1b2c3d4", "00000000"}
    assert "kkkk" not in repr(found)
    assert IngestSettings.read({}).mark_key is None


@check_cases("text", ["short", "c2hvcnQ=", KEY + KEY, "ä"])
def test_mark_key_that_is_no_key_is_refused_without_its_text(text: str) -> None:
    with pytest.raises(SettingError, match="FIRM_MARK_KEY must be base64 of 32 bytes") as refused:
        IngestSettings.read({"FIRM_MARK_KEY": text})
    assert text not in str(refused.value)
