"""Settings for trials with the sandbox. Does not belong here: the sandbox as an origin (`firm.demo.sandbox_origin`)."""

from typing import Annotated

from pydantic import Field

from firm.cli_errors import USAGE, exit_on_error, fail
from firm.environment import read_environment
from warehouse.settings.area import AreaSettings, from_text
from warehouse.settings.errors import SettingError
from warehouse.settings.texts import parse_base_url


class SandboxSettings(AreaSettings):
    """Sandbox."""

    sandbox_url: Annotated[str, from_text(parse_base_url)] = Field(
        default="",
        description="Address that `firm sandbox serve` prints, for `firm ingest --sandbox`, `firm listen --sandbox` "
        "and `firm dagster --sandbox`; empty: `firm ingest --sandbox` runs a sandbox of its own.",
    )


def read_sandbox_url() -> str:
    """Address of a sandbox in another process; empty if none is set."""
    with exit_on_error(SettingError):
        return SandboxSettings.read(read_environment()).sandbox_url


def require_sandbox_url() -> str:
    """The same; a usage error if none is set."""
    return read_sandbox_url() or fail(
        "--sandbox needs FIRM_SANDBOX_URL, the address that `firm sandbox serve` prints", USAGE
    )
