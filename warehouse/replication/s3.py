"""S3 client: keys and bytes below one prefix. The only module that knows the store is S3.

Whatever several machines may write is written conditionally: created if absent, or replacing exactly the
version that was read. No decision depends on a listing, which may be stale; listings are only for cleaning up.
Does not belong here: the meaning of keys (`releases`, `market_state`).
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

from warehouse.replication.errors import MissingObjectError, ObjectStoreError
from warehouse.replication.settings import StoreAddress
from warehouse.storage import atomic_files

if TYPE_CHECKING:
    from obstore import PutMode
    from obstore.store import ClientConfig

PART: Final = 16 << 20  # bytes transferred at once and kept in memory meanwhile
DOCUMENT: Final = 256 << 20  # maximum bytes of a document, which is read at once
PATIENCE: Final = timedelta(seconds=60)  # how long one request is retried while the store fails
_TRIES: Final = 8
_AT_ONCE: Final = 4
_AGAIN_SECONDS: Final = 0.2
_SAID: Final = 300  # maximum characters of a library error in a message
Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A document and the ETag of its version."""

    content: bytes
    tag: str


class ObjectStore:
    """One prefix of one bucket. Cheap to create; connects at the first request."""

    def __init__(self, address: StoreAddress, max_wait: timedelta = PATIENCE) -> None:
        self.address = address
        self._patience = max_wait
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
            retry_config={"max_retries": _TRIES, "retry_timeout": max_wait},
        )

    def read(self, key: str) -> StoredDocument | None:
        """Reads a document; None if there is none."""

        def got() -> StoredDocument:
            result = obstore.get(self._store, key)
            size, tag = result.meta["size"], result.meta["e_tag"]
            if size > DOCUMENT or tag is None:
                raise ObjectStoreError(f"{self.address}/{key} has {size} bytes and ETag {tag}: not a document")
            return StoredDocument(bytes(result.bytes()), tag)

        try:
            return self._asked("read", key, got)
        except MissingObjectError:
            return None

    def create(self, key: str, content: bytes) -> str | None:
        """Creates a document; returns its ETag, or None if the key exists."""
        return self._put_document(key, content, "create")

    def replace(self, key: str, content: bytes, tag: str) -> str | None:
        """Replaces the version with a given ETag; returns the new ETag, or None if the version has changed."""
        return self._put_document(key, content, {"e_tag": tag})

    def replace_previous(self, key: str, content: bytes, previous: StoredDocument | None) -> StoredDocument | None:
        """Replaces what was read (None: nothing) by a document; None if it has changed since."""
        tag = self.create(key, content) if previous is None else self.replace(key, content, previous.tag)
        return None if tag is None else StoredDocument(content, tag)

    def _put_document(self, key: str, content: bytes, mode: PutMode) -> str | None:
        def put() -> str | None:
            return obstore.put(self._store, key, content, mode=mode, use_multipart=False)["e_tag"]

        try:
            return self._asked("write", key, put)
        except (AlreadyExistsError, PreconditionError, MissingObjectError):
            # it may be our own write, with the response lost
            there = self.read(key)
            return there.tag if there is not None and there.content == content else None

    def has(self, key: str, size: int) -> bool:
        """True if there is an object of this size."""
        try:
            return self._asked("look at", key, lambda: obstore.head(self._store, key))["size"] == size
        except MissingObjectError:
            return False

    def upload(self, key: str, path: Path) -> None:
        """Uploads a file in parts that are retried one by one; it appears complete or not at all."""

        def put() -> None:
            with path.open("rb") as body:
                obstore.put(self._store, key, body, chunk_size=PART, max_concurrency=_AT_ONCE)

        self._asked("write", key, put)

    def download(self, key: str, path: Path, size: int) -> None:
        """Downloads the rest of an object to a partial file; a complete one is left alone.

        Raises MissingObjectError.
        """
        with path.open("ab") as target:
            start = target.tell()
            while start < size:
                end = min(start + PART, size)
                part = self._asked("read", key, partial(obstore.get_range, self._store, key, start=start, end=end))
                target.write(part)
                start += len(part)
            target.flush()
            os.fsync(target.fileno())
        atomic_files.sync_folder(path.parent)

    def keys(self, prefix: str) -> list[str]:
        """Keys below a folder, according to the listing."""

        def listed() -> list[str]:
            return [found["path"] for page in obstore.list(self._store, prefix=prefix) for found in page]

        return self._asked("list", prefix, listed)

    def remove(self, keys: list[str]) -> None:
        """Deletes objects; missing ones are no error."""
        if keys:
            self._asked("remove", keys[0], lambda: obstore.delete(self._store, keys))

    def _asked(self, what: str, key: str, ask: Callable[[], Answer]) -> Answer:
        """Sends a request; retries interrupted responses, which the library does not, within the store's patience.

        Failed conditions are raised as they come from the library.
        """
        until = time.monotonic() + self._patience.total_seconds()
        while True:
            try:
                return ask()
            except FileNotFoundError:
                raise MissingObjectError(f"{self.address}/{key} does not exist") from None
            except (AlreadyExistsError, PreconditionError):
                raise
            except GenericError as error:
                if time.monotonic() >= until:
                    raise self._failed(what, key, error) from error
                time.sleep(_AGAIN_SECONDS)
            except (BaseError, PermissionError) as error:
                raise self._failed(what, key, error) from error

    def _failed(self, what: str, key: str, error: Exception) -> ObjectStoreError:
        said = " ".join(str(error).partition("Debug source")[0].split())[:_SAID]
        return ObjectStoreError(
            f"cannot {what} {self.address}/{key}: {said}; check FIRM_OBJECT_STORE, the AWS_… settings and "
            "that the object store responds, then try again"
        )
