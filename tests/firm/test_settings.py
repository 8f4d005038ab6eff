"""Every setting of every area: its place in `.env.example`, and one line about each value that it does not take."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Literal, NamedTuple, get_origin

import pytest

from api.settings.secrets import SecretSettings
from api.settings.service import ApiSettings
from firm.demo.settings import SandboxSettings
from firm.settings_page import ROOTS, list_areas, render_env_example, render_settings_page
from pipelines.settings import IngestSettings
from tests.firm.inside import Inside
from warehouse.settings.area import AreaSettings, areas_within, bounds_of, own_settings
from warehouse.settings.errors import SettingError

ROOT: Final = Path(__file__).resolve().parents[2]
SHORT: Final = "c2hvcnQ="
HUSH: Final = "hush-hush"
WRONG: Final[dict[str, tuple[str, ...]]] = {
    "FIRM_PREVIEW_MARKETS": ("no", "dk xx"),
    "FIRM_CREDENTIALS": (HUSH, f"host={HUSH}", f"={HUSH}:b"),
    "FIRM_MARK_KEY": (SHORT, "§"),
    "FIRM_MARK_KEY_REPLACES": ("a1b2c3d4 A1B2", "a1b2c3d4,00000000"),
    "FIRM_DAGSTER_DATABASE_URL": (HUSH, f"mysql://firm:{HUSH}@host/dagster", "sqlite:////x"),
    "FIRM_CELERY_BROKER_URL": (HUSH, f"amqp://firm:{HUSH}@host", f"redis://:{HUSH}@host:6379/0"),
    "FIRM_ICEBERG_CATALOG": (HUSH, f"mysql://firm:{HUSH}@host/iceberg", "thrift://host:9083"),
    "FIRM_OBJECT_STORE": ("bucket", "https://bucket/a", "s3://bucket/a//b"),
    "FIRM_PUBLIC_URL": ("api.example.com", "ftp://api.example.com", "https://a.example?x=1"),
    "FIRM_DATABASE_URL": (HUSH, f"mysql://firm:{HUSH}@host/firm", f"postgresql://firm:{HUSH}@host:many/firm"),
    "FIRM_TIERS": ("/nowhere/tiers.toml",),
    "FIRM_OPERATORS": ("you", "you@example.com, *"),
    "FIRM_PUBLIC_COMPANIES_KEY": ("firm_public_short", "firm_live_" + "a" * 42),
    "FIRM_TRUSTED_PROXIES": ("proxy", "10.0.0.0/64"),
    "FIRM_WEBHOOK_WAITS": ("60", "1,2,3,4,never", "1,2,3,4,-5"),
    "FIRM_WEBHOOK_DENY_CIDRS": ("8.8.8.8/24", "everything"),
    "FIRM_WEBHOOK_ALLOW_CIDRS": ("127.0.0.1/8", "localhost"),
    "FIRM_SMTP_SENDER": ("webhooks", "a@b.example, c@d.example"),
    "FIRM_STRIPE_SECRET_KEY": (HUSH,),
    "FIRM_STRIPE_SIGNING_SECRET": (HUSH,),
    "FIRM_STRIPE_PRICES": ("pro", "pro=9.00", "gold=price_1A", "pro=price_1A,basic=price_1A"),
    "FIRM_STRIPE_RETURN_URL": ("javascript:alert(1)",),
    "FIRM_STRIPE_ADDRESS": ("stripe", "http://api.stripe.com"),
    "FIRM_PEPPER": (SHORT, "§", "a" * 64),
    "FIRM_CURSOR_KEYS": (SHORT, "a" * 64),
    "FIRM_SEALING_KEYS": (SHORT, f"{'a' * 64},{SHORT}"),
    "FIRM_EXPORT_FORMATS": ("xml", "parquet;csv"),
    "FIRM_WEBHOOK_SERVICE_HOSTS": ("https://s3.example.com", "s3.example.com:many"),
    "FIRM_SANDBOX_URL": ("127.0.0.1:8900",),
}
"""By setting: values that it does not take, beside those of flags, words and numbers."""
FREE: Final = {
    "FIRM_DATA",
    "FIRM_DOCS_SITE",
    "FIRM_HOST",
    "FIRM_ICEBERG_TOKEN",
    "FIRM_USER_AGENT",
    "FIRM_SMTP_HOST",
    "FIRM_SMTP_USERNAME",
    "FIRM_SMTP_PASSWORD",
}
"""Settings that are text of any kind; what cannot be used is reported by what uses it."""
COMMANDS: Final[dict[type[AreaSettings], tuple[str, ...]]] = {
    IngestSettings: ("erase", "--list"),
    ApiSettings: ("release", "list"),
    SecretSettings: ("accounts", "list"),
    SandboxSettings: ("ingest", "--sandbox"),
}
"""By area: a command that reads it."""


class Case(NamedTuple):
    """A setting with a value that it does not take."""

    root: type[AreaSettings]
    name: str
    value: str
    is_secret: bool


def every_case() -> Iterator[Case]:
    listed: set[str] = set()
    for root in ROOTS:
        for area in (root, *areas_within(root).values()):
            for field_name, name in own_settings(area).items():
                field = area.model_fields[field_name]
                if not name.startswith("FIRM_") or name in listed:
                    continue
                listed.add(name)
                low, high = bounds_of(field)
                values = [*WRONG.get(name, ())]
                if field.annotation is bool:
                    values += ["perhaps", "2"]
                elif get_origin(field.annotation) is Literal:
                    values += ["sideways"]
                elif field.annotation in (int, float):
                    values += [
                        "many",
                        "nan",
                        *(f"{end + step:g}" for end, step in ((low, -1), (high, 1)) if end is not None),
                    ]
                    values += ["1.5"] if field.annotation is int else []
                assert values or name in FREE, f"{name}: no value is known to be wrong"
                yield from (Case(root, name, value, not field.repr) for value in values)


CASES: Final = tuple(every_case())


def check_line(line: str, case: Case) -> None:
    assert "\n" not in line.strip()
    assert case.name in line
    assert HUSH not in line
    if case.is_secret:
        assert case.value not in line
    elif case.name != "FIRM_STRIPE_PRICES" and "," not in case.value:
        assert case.value.split()[-1] in line


def test_the_files_of_settings_are_current_and_their_values_are_the_defaults() -> None:
    text = (ROOT / ".env.example").read_text()
    assert text == render_env_example()
    assert (ROOT / "docs" / "settings.md").read_text() == render_settings_page()
    written = dict(re.findall(r"^(FIRM_[A-Z_]+)=(.*)$", text, re.MULTILINE))
    names = [setting.name for area in list_areas() for setting in area.settings if setting.name.startswith("FIRM_")]
    assert sorted(written) == sorted(names)
    for root in ROOTS:
        assert root.read(written) == root.read({}) == root()


def test_every_setting_that_is_empty_has_its_default() -> None:
    names = [setting.name for area in list_areas() for setting in area.settings]
    for empty in ("", "  "):
        assert all(root.read(dict.fromkeys(names, empty)) == root() for root in ROOTS)


def test_every_wrong_value_is_named_with_what_to_write() -> None:
    for case in CASES:
        with pytest.raises(SettingError) as caught:
            case.root.read({case.name: case.value})
        check_line(str(caught.value), case)


def test_value_in_quotes_is_refused_unless_it_may_be_a_password() -> None:
    """As `docker run --env-file` passes it on: FIRM_DATA was a folder of that name."""
    for root, name, value in (
        (ApiSettings, "FIRM_DATA", '"/var/lib/firmdata"'),
        (IngestSettings, "FIRM_USER_AGENT", "'Example AB you@example.com'"),
        (ApiSettings, "FIRM_SMTP_HOST", '"mail.example.com"'),
    ):
        with pytest.raises(SettingError, match=f"^{name} is in quotes, which are part of it here"):
            root.read({name: value})
    with pytest.raises(SettingError, match="FIRM_CREDENTIALS must be host=user:password"):
        IngestSettings.read({"FIRM_CREDENTIALS": f'"api.example.com=user:{HUSH}"'})
    assert ApiSettings.read({"FIRM_SMTP_PASSWORD": '"quoted"'}).mail.password == '"quoted"'


def test_names_of_other_letters_are_no_settings() -> None:
    assert ApiSettings.read({"firm_port": "9", "Firm_Port": "9", "FIRM_WEBHOOKS": "{}"}) == ApiSettings()


def test_making_settings_reads_no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FIRM_PORT", "9")
    assert ApiSettings().port == 8000


@pytest.mark.slow
def test_every_wrong_value_ends_a_command_as_wrong_use(tmp_path: Path) -> None:
    firm = Inside(tmp_path / "data")
    for case in CASES:
        said = firm.run(*COMMANDS[case.root], **{case.name: case.value})
        assert (said.exit_code, said.out) == (2, ""), case
        assert said.err.startswith("firm: ")
        check_line(said.err, case)


@pytest.mark.slow
def test_doctor_says_of_every_wrong_value_what_to_do(tmp_path: Path) -> None:
    firm = Inside(tmp_path / "data")
    for case in CASES:
        said = firm.run("doctor", **{case.name: case.value})
        (bad,) = [line for line in said.out.splitlines() if line.startswith("bad")]
        assert said.exit_code == 1, case
        check_line(bad, case)
