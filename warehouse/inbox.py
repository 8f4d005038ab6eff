"""The inbox of a feed: bodies that a reader took between two runs, durable, in order, until a run archives them.

A body is there once its description is; both are written beside and renamed. A kill leaves at most a body without
description, which nobody sees and the next one replaces. One writer per dataset (a lock of `listening`), and one
taker (the market's lock). Does not belong here: what is in a body, or the archive itself.
"""

from __future__ import annotations

import json
import shutil
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


@dataclass(frozen=True, slots=True)
class Letter:
    """One body in an inbox, as the source gave it at an instant."""

    name: str
    url: str | None
    observed_at: datetime
    cursor: str | None
    path: Path

    def open(self) -> BinaryIO:
        """Its bytes."""
        return self.path.open("rb")

    def remove(self) -> None:
        """Takes it out: an archive has it. The description goes first."""
        self.path.with_suffix(_TOLD).unlink()
        self.path.unlink()


class Inbox:
    """The inbox of one dataset."""

    def __init__(self, layout: Layout, dataset: str, on_step: files.Step = files.no_step) -> None:
        self._folder = layout.inbox / dataset
        self._on_step = on_step

    def put(
        self, name: str, body: BinaryIO, url: str | None, observed_at: datetime, cursor: str | None
    ) -> None:
        """Takes a body in; it is durable when this returns."""
        files.make_folder(self._folder)
        path = self._folder / f"{self._next():0{_DIGITS}d}{_BODY}"
        with files.temporary(path).open("wb") as written:
            shutil.copyfileobj(body, written, 1 << 20)
        files.sync_file(files.temporary(path))
        files.temporary(path).replace(path)
        self._on_step("letter written")
        told = {"name": name, "url": url, "observed_at": observed_at.isoformat(), "cursor": cursor}
        files.write_json(path.with_suffix(_TOLD), told)
        self._on_step("letter told")

    def letters(self) -> Iterator[Letter]:
        """Whole bodies, oldest first."""
        for told in sorted(self._folder.glob(f"*{_TOLD}")):
            said = json.loads(told.read_text())
            yield Letter(
                said["name"],
                said["url"],
                datetime.fromisoformat(said["observed_at"]),
                said["cursor"],
                told.with_suffix(_BODY),
            )

    def cursor(self) -> str | None:
        """Where the feed goes on behind what is here; None where nothing here says."""
        cursors = [letter.cursor for letter in self.letters() if letter.cursor is not None]
        return cursors[-1] if cursors else None

    def _next(self) -> int:
        return max((int(path.stem) for path in self._folder.glob(f"*{_TOLD}")), default=0) + 1
