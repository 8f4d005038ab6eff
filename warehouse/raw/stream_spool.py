"""Durable spool of a stream: bodies received between two runs, in order, until a run archives them.

A body counts once its description, which names it, exists; both are written to a temporary name and renamed. A
kill leaves at most a body without description, which is ignored and swept by the next reader. One writer per
dataset (a lock of `listening`) and one consumer (the market's lock); they need not wait for each other, as
names of bodies are never reused. Does not belong here: the content of a body, or the archive.
"""

from __future__ import annotations

import json
import shutil
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import BinaryIO, Final

from warehouse.storage import atomic_files
from warehouse.storage.layout import Layout

_DIGITS: Final = 12
_BODY: Final = ".body"
_TOLD: Final = ".json"
_TROUBLE: Final = "trouble"


@dataclass(frozen=True, slots=True)
class SpooledBody:
    """One spooled body, as received from the source at an instant."""

    name: str
    url: str | None
    observed_at: datetime
    cursor: str | None
    description_path: Path
    body: Path

    def open(self) -> BinaryIO:
        """Opens the body."""
        return self.body.open("rb")

    def remove(self) -> None:
        """Removes an archived body. The description goes first."""
        self.description_path.unlink()
        atomic_files.delete_if_exists(self.body)


class StreamSpool:
    """The spool of one dataset."""

    def __init__(self, layout: Layout, dataset: str, on_step: atomic_files.Step = atomic_files.ignore_step) -> None:
        self._folder = layout.spool_folder / dataset
        self._on_step = on_step

    def put(self, name: str, body: BinaryIO, url: str | None, observed_at: datetime, cursor: str | None) -> None:
        """Spools a body durably. If it raises (disk full), nothing is left behind."""
        atomic_files.make_folder(self._folder)
        path = self._folder / f"{uuid.uuid4().hex}{_BODY}"
        told = {"name": name, "url": url, "observed_at": observed_at.isoformat(), "cursor": cursor}
        try:
            with atomic_files.temporary_path(path).open("wb") as written:
                shutil.copyfileobj(body, written, 1 << 20)
            atomic_files.publish_file(atomic_files.temporary_path(path), path)
            self._on_step("letter written")
            number = self._folder / f"{self._next_number():0{_DIGITS}d}{_TOLD}"
            atomic_files.write_json(number, told | {"body": path.name})
        except OSError:
            atomic_files.delete_if_exists(atomic_files.temporary_path(path))
            atomic_files.delete_if_exists(path)
            raise
        self._on_step("letter told")

    def spooled_bodies(self) -> Iterator[SpooledBody]:
        """Complete bodies, oldest first."""
        for told in self._description_paths():
            said = json.loads(told.read_text())
            yield SpooledBody(
                said["name"],
                said["url"],
                datetime.fromisoformat(said["observed_at"]),
                said["cursor"],
                told,
                self._folder / said["body"],
            )

    def is_empty(self) -> bool:
        """True if there is nothing to consume."""
        return not self._description_paths()

    def cursor(self) -> str | None:
        """The newest cursor in the spool, from which the stream resumes; None if there is none."""
        for told in reversed(self._description_paths()):
            try:
                cursor: str | None = json.loads(told.read_text())["cursor"]
            except FileNotFoundError:  # consumed just now, with all before it
                return None
            if cursor is not None:
                return cursor
        return None

    def sweep(self) -> None:
        """Removes incomplete files left by a killed reader. Only the reader, as the only writer, may call it."""
        described = {json.loads(told.read_text())["body"] for told in self._description_paths() if told.exists()}
        for path in self._folder.glob("*"):
            is_body = path.suffix == _BODY and path.name not in described
            if is_body or path.suffix == atomic_files.TEMPORARY:
                atomic_files.delete_if_exists(path)

    def record_connection_error(self, reason: str, at: datetime) -> None:
        """Records why the reader cannot reach its source, and when."""
        atomic_files.write_json(self._folder / _TROUBLE, {"reason": reason, "at": at.isoformat()})

    def last_connection_error(self, since: datetime) -> str | None:
        """The last recorded problem, unless older than `since`: the reader records a lasting one again."""
        path = self._folder / _TROUBLE
        said = json.loads(path.read_text()) if path.exists() else None
        return said["reason"] if said is not None and datetime.fromisoformat(said["at"]) >= since else None

    def _description_paths(self) -> list[Path]:
        return sorted(self._folder.glob(f"*{_TOLD}"))

    def _next_number(self) -> int:
        return max((int(path.stem) for path in self._description_paths()), default=0) + 1
