"""Settings of the object store that this installation shares with others. Opens no connection.

Does not belong here: requests to it (`s3`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Final

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from warehouse.settings.area import AreaSettings, from_text

_ADDRESS: Final = re.compile(r"s3://([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:/([A-Za-z0-9._/-]{1,512}))?")


@dataclass(frozen=True, slots=True)
class StoreAddress:
    """One prefix of one bucket.

    options: names and values as every S3 client has them; without keys, the machine's role is used. authorities: a
    file of certificates, None to use those of the system.
    """

    bucket: str
    prefix: str
    options: Mapping[str, str] = field(default_factory=dict, repr=False)
    authorities: Path | None = None

    def __str__(self) -> str:
        return f"s3://{self.bucket}/{self.prefix}".rstrip("/")


def _parse_location(text: str) -> tuple[str, str]:
    """Bucket and prefix."""
    written = text.rstrip("/")
    found = _ADDRESS.fullmatch(written)
    if found is None or "//" in (found[2] or ""):
        raise ValueError(f"must be s3://bucket or s3://bucket/prefix, not {written!r}")
    return found[1], found[2] or ""


class StoreSettings(AreaSettings):
    """Object store."""

    model_config = SettingsConfigDict(env_prefix="")

    location: Annotated[tuple[str, str] | None, from_text(_parse_location)] = Field(
        default=None,
        validation_alias="FIRM_OBJECT_STORE",
        description="For several machines: the object store that they share (S3 API with conditional writes), as "
        "s3://bucket/prefix; empty: folders below FIRM_DATA. Keys, region and address are set as for every S3 "
        "client, by the variables AWS_….",
    )
    aws_endpoint_url: str = Field(default="", description="Address of a store other than Amazon's.")
    aws_region: str = Field(default="", description="Region of the bucket.")
    aws_default_region: str = Field(default="", description="Region where AWS_REGION is not set.")
    aws_access_key_id: str = Field(default="", repr=False, description="Empty: the role of the machine.")
    aws_secret_access_key: str = Field(default="", repr=False, description="Secret of that key.")
    aws_session_token: str = Field(default="", repr=False, description="Token of temporary keys.")
    aws_container_credentials_relative_uri: str = Field(default="", description="Where a container gets keys.")
    aws_virtual_hosted_style_request: str = Field(default="", description="true: the bucket is part of the host name.")
    aws_server_side_encryption: str = Field(default="", description="How the store encrypts, as aws:kms.")
    aws_sse_kms_key_id: str = Field(default="", description="With which key it encrypts.")
    aws_ca_bundle: Path | None = Field(
        default=None, description="File of the certificate authority of a private store."
    )

    @property
    def address(self) -> StoreAddress | None:
        """The shared store; None on a single machine."""
        if self.location is None:
            return None
        options = {name: value for name, value in self.client_options.items() if name != "AWS_CA_BUNDLE"}
        return StoreAddress(*self.location, options, self.aws_ca_bundle)

    @property
    def client_options(self) -> dict[str, str]:
        """The variables AWS_… that are set, whether or not a store is shared."""
        return {name.upper(): str(value) for name, value in self if name.startswith("aws_") and value}
