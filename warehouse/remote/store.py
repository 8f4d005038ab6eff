"""Speaks to the object store: keys and bytes below one prefix. Nothing else here knows that it is S3.

What several machines may write is written on a condition: created where nothing is, or put in the place of exactly
what was read before. Nothing is decided by a listing, which may be out of date; listings only help to tidy up. Does
not belong here: what lies under which key (`releases`, `markets`).
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

import obstore
from obstore.exceptions import AlreadyExistsError, BaseError, GenericError, PreconditionError
from obstore.store import S3Store

from warehouse import files
from warehouse.remote.address import Address
from warehouse.remote.failures import Missing, StoreFailed

if TYPE_CHECKING:
    from obstore import PutMode
    from obstore.store import ClientConfig

PART: Final = 16 << 20  # bytes fetched or sent at once, and held in memory while they are
DOCUMENT: Final = 256 << 20  # a document that is read whole is no larger
PATIENCE: Final = timedelta(seconds=60)  # for which one request is repeated while the store fails
_TRIES: Final = 8
_AT_ONCE: Final = 4
_AGAIN_SECONDS: Final = 0.2
_SAID: Final = 300  # characters of what the library says
Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Found:
    """A document, and the mark by which its very version is known."""

    content: bytes
    tag: str


class Store:
    """One prefix of one bucket. Made cheaply; connects when it is first asked."""

    def __init__(self, address: Address, patience: timedelta = PATIENCE) -> None:
        self.address = address
        self._patience = patience
        options = {name.lower(): value for name, value in address.options.items()}
        client: ClientConfig = {"connect_timeout": "10s", "timeout": "120s"}
        if options.get("aws_endpoint_url", "").startswith("http://"):
            client["allow_http"] = True
        if address.authorities is not None:
            client["root_certificate"] = address.authorities.read_bytes()
        self._store = S3Store(
            address.bucket,
            prefix=address.prefix or None,
            config=options,  # pyright: ignore[reportArgumentType] - the names it reads from an environment
            client_options=client,
            retry_config={"max_retries": _TRIES, "retry_timeout": patience},
        )

    def read(self, key: str) -> Found | None:
        """A document; None where there is none."""

        def got() -> Found:
            result = obstore.get(self._store, key)
            size, tag = result.meta["size"], result.meta["e_tag"]
            if size > DOCUMENT or tag is None:
                raise StoreFailed(
                    f"{self.address}/{key} has {size} bytes and mark {tag}: that is no document"
                )
            return Found(bytes(result.bytes()), tag)

        try:
            return self._asked("read", key, got)
        except Missing:
            return None

    def create(self, key: str, content: bytes) -> str | None:
        """Writes a document where none is; its mark, or None where another is there."""
        return self._put(key, content, "create")

    def replace(self, key: str, content: bytes, tag: str) -> str | None:
        """Writes a document in the place of the version known by a mark; None where that one is no more."""
        return self._put(key, content, {"e_tag": tag})

    def succeed(self, key: str, content: bytes, former: Found | None) -> Found | None:
        """Writes a document in the place of what was read, nothing (None) included; None where that has changed."""
        tag = self.create(key, content) if former is None else self.replace(key, content, former.tag)
        return None if tag is None else Found(content, tag)

    def _put(self, key: str, content: bytes, mode: PutMode) -> str | None:
        def put() -> str | None:
            return obstore.put(self._store, key, content, mode=mode, use_multipart=False)["e_tag"]

        try:
            return self._asked("write", key, put)
        except (AlreadyExistsError, PreconditionError, Missing):
            # it may be ours: written, and the answer lost on its way
            there = self.read(key)
            return there.tag if there is not None and there.content == content else None

    def has(self, key: str, size: int) -> bool:
        """Whether an object of this size is there."""
        try:
            return self._asked("look at", key, lambda: obstore.head(self._store, key))["size"] == size
        except Missing:
            return False

    def upload(self, key: str, path: Path) -> None:
        """Sends a file, in parts that are repeated one by one; it is there whole or not at all."""

        def put() -> None:
            with path.open("rb") as body:
                obstore.put(self._store, key, body, chunk_size=PART, max_concurrency=_AT_ONCE)

        self._asked("write", key, put)

    def download(self, key: str, path: Path, size: int) -> None:
        """Adds to a file what it lacks of an object; one that has all of it is left. Raises Missing."""
        with path.open("ab") as target:
            start = target.tell()
            while start < size:
                end = min(start + PART, size)
                part = self._asked(
                    "read", key, partial(obstore.get_range, self._store, key, start=start, end=end)
                )
                target.write(part)
                start += len(part)
            target.flush()
            os.fsync(target.fileno())
        files.sync_folder(path.parent)

    def keys(self, prefix: str) -> list[str]:
        """Keys below a folder, as far as the listing knows."""

        def listed() -> list[str]:
            return [found["path"] for page in obstore.list(self._store, prefix=prefix) for found in page]

        return self._asked("list", prefix, listed)

    def remove(self, keys: list[str]) -> None:
        """Removes objects; those that are gone already are no error."""
        if keys:
            self._asked("remove", keys[0], lambda: obstore.delete(self._store, keys))

    def _asked(self, what: str, key: str, ask: Callable[[], Answer]) -> Answer:
        """Asks, and asks again when an answer was torn, which the library leaves to us; within its patience.

        Conditions that do not hold pass through as the library raises them.
        """
        until = time.monotonic() + self._patience.total_seconds()
        while True:
            try:
                return ask()
            except FileNotFoundError:
                raise Missing(f"there is no {self.address}/{key}") from None
            except (AlreadyExistsError, PreconditionError):
                raise
            except GenericError as error:
                if time.monotonic() >= until:
                    raise self._failed(what, key, error) from error
                time.sleep(_AGAIN_SECONDS)
            except (BaseError, PermissionError) as error:
                raise self._failed(what, key, error) from error

    def _failed(self, what: str, key: str, error: Exception) -> StoreFailed:
        said = " ".join(str(error).partition("Debug source")[0].split())[:_SAID]
        return StoreFailed(
            f"cannot {what} {self.address}/{key}: {said}; look at FIRM_OBJECT_STORE, the AWS_… settings and "
            "whether the store answers, then try again"
        )
