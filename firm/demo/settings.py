"""Settings for trials with the sandbox. Does not belong here: the sandbox as an origin (`firm.demo.sandbox_origin`)."""

from typing import Annotated

from pydantic import Field

from warehouse.settings.area import AreaSettings, from_text
from warehouse.settings.texts import parse_base_url


class SandboxSettings(AreaSettings):
    """Sandbox."""

    sandbox_url: Annotated[str, from_text(parse_base_url)] = Field(
        default="",
        description="Address that `firm sandbox serve` prints, for `firm ingest --sandbox`, `firm listen --sandbox` and "
        "`firm dagster --sandbox`; empty: `firm ingest --sandbox` runs a sandbox of its own.",
    )
