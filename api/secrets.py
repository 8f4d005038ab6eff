"""The service's own secrets: the pepper of key digests, cursor signing keys, data encryption keys.

Created once in `FIRM_DATA/secrets.json` (mode 0600), or set by FIRM_PEPPER, FIRM_CURSOR_KEYS and
FIRM_SEALING_KEYS. The composition root loads them and passes them on; nothing else opens the file. Unknown
members are kept, and members missing in a file of an earlier version are added.
"""

import base64
import binascii
import fcntl
import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from api.settings import SettingError

_BYTES: Final = 32


class SecretsError(ValueError):
    """The secrets file or setting is unusable; the message says where and why, never the value."""


class SecretSettingError(SecretsError, SettingError):
    """A secret given by a setting is unusable."""


@dataclass(frozen=True, slots=True)
class Secrets:
    """The secrets for digests, signatures and encryption.

    Of several keys the first is used and all are accepted, which allows key rotation.
    """

    pepper: bytes = field(repr=False)
    cursor_keys: tuple[bytes, ...] = field(repr=False)
    sealing_keys: tuple[bytes, ...] = field(repr=False)

    @classmethod
    def generate(cls) -> "Secrets":
        return cls(os.urandom(_BYTES), (os.urandom(_BYTES),), (os.urandom(_BYTES),))


def load_or_create(path: Path, environment: Mapping[str, str] | None = None) -> Secrets:
    """The secrets of this installation: from the environment, else from `path`, which is created if missing."""
    given = environment or {}
    pepper, cursors = given.get("FIRM_PEPPER", ""), given.get("FIRM_CURSOR_KEYS", "")
    sealing = given.get("FIRM_SEALING_KEYS", "")
    if bool(pepper) != bool(cursors):
        raise SecretSettingError("set both FIRM_PEPPER and FIRM_CURSOR_KEYS or neither")
    seals = _all_given(sealing, "FIRM_SEALING_KEYS") if sealing else ()
    if pepper:
        digests = _given(pepper, "FIRM_PEPPER")
        signs = _all_given(cursors, "FIRM_CURSOR_KEYS")
        return Secrets(digests, signs, seals or _stored(path).sealing_keys)
    stored = _stored(path)
    return replace(stored, sealing_keys=seals) if seals else stored


def _stored(path: Path) -> Secrets:
    """Reads the file, creating or completing it if necessary."""
    if not path.exists():
        _create(path, Secrets.generate())
    document = _document(path)
    if "sealing_keys" not in document:
        document = _completed(path)
    return _read(document, path)


def _create(path: Path, secrets: Secrets) -> None:
    """Writes the file atomically: two processes starting together must end with the same file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    document = {
        "pepper": _encode(secrets.pepper),
        "cursor_keys": [_encode(key) for key in secrets.cursor_keys],
        "sealing_keys": [_encode(key) for key in secrets.sealing_keys],
    }
    with _written_beside(path, document) as beside, suppress(FileExistsError):
        os.link(beside, path)  # fails if another process was first: its file is used


def _completed(path: Path) -> dict[str, Any]:
    """Adds a sealing key to a file of an earlier version.

    Processes starting concurrently wait for the lock and use the same key.
    """
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        document = _document(path)
        if "sealing_keys" not in document:
            document["sealing_keys"] = [_encode(os.urandom(_BYTES))]
            with _written_beside(path, document) as beside:
                beside.replace(path)
    except OSError as error:
        raise SecretsError(
            f"{path} has no sealing key and none can be added ({error.strerror}): set FIRM_SEALING_KEYS, or make "
            "its folder writable for the service"
        ) from error
    finally:
        os.close(folder)
    return document


@contextmanager
def _written_beside(path: Path, document: Mapping[str, Any]) -> Iterator[Path]:
    """Writes a temporary file in the same folder, synced to disk; deleted afterwards unless it was moved."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")  # mkstemp sets mode 0600
    beside = Path(name)
    try:
        with os.fdopen(handle, "w") as file:
            json.dump(document, file, indent=1)
            file.flush()
            os.fsync(file.fileno())
        yield beside
    finally:
        beside.unlink(missing_ok=True)


def _document(path: Path) -> dict[str, Any]:
    """The file's members; checks those that every version has."""
    try:
        document = json.loads(path.read_text())
        _decode(document["pepper"], str(path))
        _keys(document, "cursor_keys", path)
    except (json.JSONDecodeError, KeyError, TypeError) as error:
        raise SecretsError(f"{path} is not a secrets file: restore the original or delete it") from error
    return document


def _read(document: Mapping[str, Any], path: Path) -> Secrets:
    pepper = _decode(document["pepper"], str(path))
    return Secrets(pepper, _keys(document, "cursor_keys", path), _keys(document, "sealing_keys", path))


def _keys(document: Mapping[str, Any], member: str, path: Path) -> tuple[bytes, ...]:
    written = document[member]
    if not isinstance(written, list) or not written:
        raise SecretsError(f"{path}: {member} must list one or more keys")
    return tuple(_decode(key, str(path)) for key in written)


def _encode(secret: bytes) -> str:
    return base64.b64encode(secret).decode()


def _given(text: str, name: str) -> bytes:
    try:
        return _decode(text, name)
    except SecretsError as error:
        raise SecretSettingError(str(error)) from None


def _all_given(text: str, name: str) -> tuple[bytes, ...]:
    return tuple(_given(key.strip(), name) for key in text.split(","))


def _decode(text: str, where: str) -> bytes:
    try:
        secret = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError, TypeError):
        raise SecretsError(f"{where}: a secret is base64 of at least 32 bytes") from None
    if len(secret) < _BYTES:
        raise SecretsError(f"{where}: a secret is base64 of at least 32 bytes")
    return secret
