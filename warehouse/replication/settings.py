"""Settings of the object store that this installation shares with others. Opens no connection.

Does not belong here: requests to it (`s3`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Self

SETTING: Final = "FIRM_OBJECT_STORE"
_ADDRESS: Final = re.compile(r"s3://([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:/([A-Za-z0-9._/-]{1,512}))?")
OPTIONS: Final = (
    "AWS_ENDPOINT_URL",  # for stores other than Amazon's
    "AWS_REGION",
    "AWS_DEFAULT_REGION",
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_VIRTUAL_HOSTED_STYLE_REQUEST",
    "AWS_SERVER_SIDE_ENCRYPTION",
    "AWS_SSE_KMS_KEY_ID",
)
CA_BUNDLE: Final = "AWS_CA_BUNDLE"  # a file: the certificate authority of a private store


class InvalidStoreAddressError(ValueError):
    """The address does not name a bucket; the message shows the expected form."""


@dataclass(frozen=True, slots=True)
class StoreAddress:
    """One prefix of one bucket.

    options: those of `OPTIONS` that are set, with the names and meanings of every S3 client; without keys, the
    machine's role is used. authorities: a file of certificates, None to use those of the system.
    """

    bucket: str
    prefix: str
    options: Mapping[str, str] = field(default_factory=dict, repr=False)
    authorities: Path | None = None

    @classmethod
    def read(cls, environment: Mapping[str, str]) -> Self | None:
        """Reads the store from the environment; None if none is set, InvalidStoreAddressError if it is invalid."""
        written = (environment.get(SETTING) or "").strip().rstrip("/")
        if not written:
            return None
        found = _ADDRESS.fullmatch(written)
        if found is None or "//" in (found[2] or ""):
            raise InvalidStoreAddressError(f"{SETTING} must be s3://bucket or s3://bucket/prefix, not {written!r}")
        options = {name: environment[name] for name in OPTIONS if environment.get(name)}
        authorities = environment.get(CA_BUNDLE)
        return cls(found[1], found[2] or "", options, Path(authorities) if authorities else None)

    def __str__(self) -> str:
        return f"s3://{self.bucket}/{self.prefix}".rstrip("/")
