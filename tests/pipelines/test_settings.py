"""Settings of ingest: what the environment may say."""

import pytest

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
