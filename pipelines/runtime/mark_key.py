"""The key of person marks: one secret of the installation (`connectors.kit.redact.person_marks`).

It is in `FIRM_DATA/marks.json` (mode 0600), made when a body is first marked, or given by FIRM_MARK_KEY. Marks of two
keys cannot be compared: persons of one name would count as one again. A key that is lost or changed therefore ends
every fetch of the datasets that have marks, until the former key is back or FIRM_MARK_KEY_REPLACES names it. Belongs
here: reading, making and checking the key. Does not belong here: the marks.
"""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Collection
from pathlib import Path
from typing import Final

from warehouse.storage import atomic_files

_MODE: Final = 0o600
_ADVICE: Final = (
    "bring that key back (FIRM_DATA/marks.json of the installation that made the marks, or FIRM_MARK_KEY), or, if it "
    "is lost, set FIRM_MARK_KEY_REPLACES to its id (docs/operating.md)"
)


class MarkKeyError(Exception):
    """The key of person marks is lost, unreadable, or another than before; the message says what to do."""


def load_mark_key(path: Path, given: bytes | None, used: Collection[str]) -> bytes:
    """The key: the setting, else the file, which is made if no mark exists yet.

    used: ids of the keys of existing marks that are not to be replaced.
    """
    from pipelines.settings import decode_mark_key  # loads pydantic, which help texts need not

    if given is not None:
        return given
    try:
        text = path.read_text()
    except FileNotFoundError:
        if used:
            raise MarkKeyError(
                f"{path} is missing, and marks of the key {', '.join(sorted(used))} exist: {_ADVICE}"
            ) from None
        _create_file(path)
        text = path.read_text()
    try:
        return decode_mark_key(json.loads(text)["key"])
    except (ValueError, KeyError, TypeError) as error:
        raise MarkKeyError(f"{path} is not a file of the key of person marks: restore it from a backup") from error


def require_known_key(key_id: str, used: Collection[str]) -> None:
    """Raises MarkKeyError if marks of another key exist that is not to be replaced."""
    if others := sorted(set(used) - {key_id}):
        raise MarkKeyError(f"the key of person marks is {key_id}, and marks of the key {others[0]} exist: {_ADVICE}")


def _create_file(path: Path) -> None:
    """Writes a new key; of two processes that start together the first one's file holds."""
    from pipelines.settings import MARK_KEY_BYTES

    atomic_files.make_folder(path.parent)
    beside = path.with_name(f"{path.name}.{atomic_files.writer_name()}")
    content = json.dumps({"key": base64.b64encode(os.urandom(MARK_KEY_BYTES)).decode()}).encode()
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, _MODE)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.link(beside, path)
    except FileExistsError:
        return  # another process was first
    finally:
        beside.unlink()
    atomic_files.sync_folder(path.parent)
