"""Settings: what the environment may say, and that every setting stands in `.env.example`."""

import re
from pathlib import Path

import pytest

from api.settings.service import ApiSettings
from pipelines.settings import IngestSettings, PipelineSettingError

ROOT = Path(__file__).resolve().parents[2]


def test_credentials_are_read_by_host_and_never_shown() -> None:
    settings = IngestSettings.read({"FIRM_CREDENTIALS": "api.example=KEY: other.example=me:pass:word"})
    assert settings.credentials == {"api.example": ("KEY", ""), "other.example": ("me", "pass:word")}
    assert "KEY" not in repr(settings)


@pytest.mark.parametrize("text", ["secret", "host=secret", "=user:secret", "host=:secret"])
def test_bad_credentials_are_named_but_not_repeated(text: str) -> None:
    with pytest.raises(PipelineSettingError, match="FIRM_CREDENTIALS") as caught:
        IngestSettings.read({"FIRM_CREDENTIALS": text})
    assert "secret" not in str(caught.value)


def test_the_example_names_every_setting_with_its_default() -> None:
    text = (ROOT / ".env.example").read_text()
    written = dict(re.findall(r"^(FIRM_[A-Z_]+)=(.*)$", text, re.MULTILINE))
    read = set(
        re.findall(
            r"\"(FIRM_[A-Z_]+)\"",
            "".join(
                (ROOT / name).read_text()
                for name in (
                    "api/settings/service.py",
                    "api/auth/service_secrets.py",
                    "api/settings/webhooks.py",
                    "api/settings/billing.py",
                    "api/settings/mail.py",
                    "pipelines/settings.py",
                    "warehouse/replication/settings.py",
                )
            ),
        )
    )
    assert written.keys() == read - {"FIRM_DAGSTER_STORAGE"}  # told to Dagster, by us
    assert IngestSettings.read(written) == IngestSettings.read({})
    assert ApiSettings.from_environment(written) == ApiSettings.from_environment({})
