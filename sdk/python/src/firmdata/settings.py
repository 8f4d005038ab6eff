"""What a client is made with, and what the environment gives where nothing is said."""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

API_KEY = "FIRMDATA_API_KEY"
BASE_URL = "FIRMDATA_BASE_URL"


@dataclass(frozen=True)
class ClientSettings:
    """The address of the service and the key."""

    base_url: str
    api_key: str

    @classmethod
    def read(cls, api_key: str | None, base_url: str | None) -> ClientSettings:
        """What is given, else the environment's; ValueError that says what is missing."""
        key, url = api_key or os.environ.get(API_KEY), base_url or os.environ.get(BASE_URL)
        if not key:
            raise ValueError(f"no API key: set {API_KEY}, or give api_key=…")
        if not url:
            raise ValueError(f"no address of the service: set {BASE_URL}, or give base_url=…")
        if not url.startswith(("https://", "http://")):
            raise ValueError(f"the address of the service is a URL, as https://api.example.com, not {url!r}")
        return cls(url.rstrip("/"), key)

    @property
    def headers(self) -> dict[str, str]:
        """Headers of every request."""
        agent = f"firmdata-python/{own_version()} python/{platform.python_version()}"
        return {"Authorization": f"Bearer {self.api_key}", "User-Agent": agent, "Accept": "application/json"}


def own_version() -> str:
    """The version of this package; 0 where it is not installed."""
    try:
        return version("firmdata")
    except PackageNotFoundError:
        return "0"
