"""Which object store this installation shares with others, as settings say it. Opens nothing.

Does not belong here: speaking to it (`store`).
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
    "AWS_ENDPOINT_URL",  # of a store that is not Amazon's
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
CA_BUNDLE: Final = "AWS_CA_BUNDLE"  # a file: the authority of a store of your own


class BadAddress(ValueError):  # noqa: N818 - named for what it says
    """An address that names no bucket; the message says what is due."""


@dataclass(frozen=True, slots=True)
class Address:
    """One prefix of one bucket.

    options: those of `OPTIONS` that are set, which are named and mean as for every S3 client; without keys the
    machine's own role is asked for. authorities: a file of certificates, None where the machine's own are enough.
    """

    bucket: str
    prefix: str
    options: Mapping[str, str] = field(default_factory=dict, repr=False)
    authorities: Path | None = None

    @classmethod
    def read(cls, environment: Mapping[str, str]) -> Self | None:
        """The store that the environment names; None where none is named, BadAddress where it is none."""
        written = (environment.get(SETTING) or "").strip().rstrip("/")
        if not written:
            return None
        found = _ADDRESS.fullmatch(written)
        if found is None or "//" in (found[2] or ""):
            raise BadAddress(f"{SETTING} must be s3://bucket or s3://bucket/prefix, not {written!r}")
        options = {name: environment[name] for name in OPTIONS if environment.get(name)}
        authorities = environment.get(CA_BUNDLE)
        return cls(found[1], found[2] or "", options, Path(authorities) if authorities else None)

    def __str__(self) -> str:
        return f"s3://{self.bucket}/{self.prefix}".rstrip("/")
