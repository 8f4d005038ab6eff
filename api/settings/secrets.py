"""Secrets that are given by settings. Does not belong here: the file of the others (`api.auth.service_secrets`)."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from warehouse.settings.area import AreaSettings, from_text
from warehouse.settings.texts import parse_secret, parse_secrets

_Secrets = Annotated[tuple[bytes, ...], from_text(parse_secrets)]


class SecretSettings(AreaSettings):
    """Secrets."""

    pepper: Annotated[bytes | None, from_text(parse_secret)] = Field(
        default=None,
        repr=False,
        description="Pepper of key digests, base64 of at least 32 bytes. Set it and FIRM_CURSOR_KEYS or neither; "
        "neither: both are made once into FIRM_DATA/secrets.json.",
    )
    cursor_keys: _Secrets = Field(
        default=(),
        repr=False,
        description="Keys that encrypt cursors, each base64 of at least 32 bytes, separated by commas: the first "
        "encrypts, all decrypt.",
    )
    sealing_keys: _Secrets = Field(
        default=(),
        repr=False,
        description="Keys that encrypt webhook secrets, each base64 of at least 32 bytes, separated by commas: the "
        "first encrypts, all decrypt, so that a key can be changed. Empty: made once into FIRM_DATA/secrets.json.",
    )

    @model_validator(mode="after")
    def _check_pair(self) -> Self:
        if bool(self.pepper) != bool(self.cursor_keys):
            raise ValueError("set both FIRM_PEPPER and FIRM_CURSOR_KEYS or neither")
        return self
