"""Settings of ingest: what the environment may say."""

from pathlib import Path

import pytest

from api.settings.service import ApiSettings
from pipelines.settings import IngestSettings
from warehouse.settings.errors import SettingError


def test_credentials_are_read_by_host_and_never_shown() -> None:
    settings = IngestSettings.read({"FIRM_CREDENTIALS": "api.example=KEY: other.example=me:pass:word"})
    assert settings.credentials == {"api.example": ("KEY", ""), "other.example": ("me", "pass:word")}
    assert "KEY" not in repr(settings)


@pytest.mark.parametrize("text", ["secret", "host=secret", "=user:secret", "host=:secret"])
def test_bad_credentials_are_named_but_not_repeated(text: str) -> None:
    with pytest.raises(SettingError, match="FIRM_CREDENTIALS") as caught:
        IngestSettings.read({"FIRM_CREDENTIALS": text})
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("area", [IngestSettings, ApiSettings])
def test_data_folder_below_the_home_folder_is_meant_by_a_tilde(
    area: type[IngestSettings] | type[ApiSettings], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert area.read({"FIRM_DATA": "~/firm"}).data == tmp_path / "firm"
    assert area.read({"FIRM_DATA": "state/~firm"}).data == Path("state/~firm")
    with pytest.raises(SettingError, match="FIRM_DATA must be a path: there is no home folder"):
        area.read({"FIRM_DATA": "~nobody-has-this-name/firm"})
