"""The inbox of a feed: bodies that a reader took between two runs, durable, in order, until a run archives them.

A body is there once its description is, which names it; both are written beside and renamed. A kill leaves at most
a body that nothing describes, which nobody sees and the next reader sweeps. One writer per dataset (a lock of
`listening`), and one taker (the market's lock), who need not wait for each other: no body's name comes twice.
Does not belong here: what is in a body, or the archive itself.
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

from warehouse import files
from warehouse.paths import Layout

_DIGITS: Final = 12
_BODY: Final = ".body"
_TOLD: Final = ".json"
_TROUBLE: Final = "trouble"


@dataclass(frozen=True, slots=True)
class Letter:
    """One body in an inbox, as the source gave it at an instant."""

    name: str
    url: str | None
    observed_at: datetime
    cursor: str | None
    told: Path
    body: Path

    def open(self) -> BinaryIO:
        """Its bytes."""
        return self.body.open("rb")

    def remove(self) -> None:
        """Takes it out: an archive has it. The description goes first."""
        self.told.unlink()
        files.discard(self.body)


class Inbox:
    """The inbox of one dataset."""

    def __init__(self, layout: Layout, dataset: str, on_step: files.Step = files.no_step) -> None:
        self._folder = layout.inbox / dataset
        self._on_step = on_step

    def put(
        self, name: str, body: BinaryIO, url: str | None, observed_at: datetime, cursor: str | None
    ) -> None:
        """Takes a body in; it is durable when this returns. Where it raises (a full disk), nothing is there."""
        files.make_folder(self._folder)
        path = self._folder / f"{uuid.uuid4().hex}{_BODY}"
        told = {"name": name, "url": url, "observed_at": observed_at.isoformat(), "cursor": cursor}
        try:
            with files.temporary(path).open("wb") as written:
                shutil.copyfileobj(body, written, 1 << 20)
            files.publish(files.temporary(path), path)
            self._on_step("letter written")
            number = self._folder / f"{self._next():0{_DIGITS}d}{_TOLD}"
            files.write_json(number, told | {"body": path.name})
        except OSError:
            files.discard(files.temporary(path))
            files.discard(path)
            raise
        self._on_step("letter told")

    def letters(self) -> Iterator[Letter]:
        """Whole bodies, oldest first."""
        for told in self._told():
            said = json.loads(told.read_text())
            yield Letter(
                said["name"],
                said["url"],
                datetime.fromisoformat(said["observed_at"]),
                said["cursor"],
                told,
                self._folder / said["body"],
            )

    def is_empty(self) -> bool:
        """Whether there is nothing to take."""
        return not self._told()

    def cursor(self) -> str | None:
        """Where the feed goes on behind what is here; None where nothing here says."""
        for told in reversed(self._told()):
            try:
                cursor: str | None = json.loads(told.read_text())["cursor"]
            except FileNotFoundError:  # taken in this moment, with all before it
                return None
            if cursor is not None:
                return cursor
        return None

    def sweep(self) -> None:
        """Removes what a killed reader left half-written. The reader's to call: nobody else writes here."""
        described = {json.loads(told.read_text())["body"] for told in self._told() if told.exists()}
        for path in self._folder.glob("*"):
            is_body = path.suffix == _BODY and path.name not in described
            if is_body or path.suffix == files.TEMPORARY:
                files.discard(path)

    def note_trouble(self, reason: str, at: datetime) -> None:
        """What keeps the reader from its source at an instant."""
        files.write_json(self._folder / _TROUBLE, {"reason": reason, "at": at.isoformat()})

    def trouble(self, since: datetime) -> str | None:
        """What the reader noted last, unless that was before an instant: who is in trouble notes it again."""
        path = self._folder / _TROUBLE
        said = json.loads(path.read_text()) if path.exists() else None
        return said["reason"] if said is not None and datetime.fromisoformat(said["at"]) >= since else None

    def _told(self) -> list[Path]:
        return sorted(self._folder.glob(f"*{_TOLD}"))

    def _next(self) -> int:
        return max((int(path.stem) for path in self._told()), default=0) + 1
