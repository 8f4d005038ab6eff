"""The service's own secrets: the pepper of key digests, cursor signing keys, data encryption keys.

Created once in `FIRM_DATA/secrets.json` (mode 0600), or set by FIRM_PEPPER, FIRM_CURSOR_KEYS and
FIRM_SEALING_KEYS. The composition root loads them and passes them on; nothing else opens the file. Unknown
members are kept, and members missing in a file of an earlier version are added.
"""

import base64
import fcntl
import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from warehouse.settings.errors import SettingError
from warehouse.settings.texts import SECRET_BYTES, parse_secret


class SecretsError(ValueError):
    """The secrets file or setting is unusable; the message says where and why, never the value."""


class SecretSettingError(SecretsError, SettingError):
    """A secret given by a setting is unusable."""


@dataclass(frozen=True, slots=True)
class ServiceSecrets:
    """The secrets for digests, signatures and encryption.

    Of several keys the first is used and all are accepted, which allows key rotation.
    """

    pepper: bytes = field(repr=False)
    cursor_keys: tuple[bytes, ...] = field(repr=False)
    sealing_keys: tuple[bytes, ...] = field(repr=False)

    @classmethod
    def generate(cls) -> "ServiceSecrets":
        return cls(os.urandom(SECRET_BYTES), (os.urandom(SECRET_BYTES),), (os.urandom(SECRET_BYTES),))


def load_or_create(path: Path, environment: Mapping[str, str] | None = None) -> ServiceSecrets:
    """The secrets of this installation: from the environment, else from `path`, which is created if missing."""
    from api.settings.secrets import SecretSettings  # loads pydantic, which who catches our errors need not

    try:
        given = SecretSettings.read(environment or {})
    except SettingError as error:
        raise SecretSettingError(str(error)) from None
    if given.pepper:
        return ServiceSecrets(given.pepper, given.cursor_keys, given.sealing_keys or _load_stored(path).sealing_keys)
    stored = _load_stored(path)
    return replace(stored, sealing_keys=given.sealing_keys) if given.sealing_keys else stored


def _load_stored(path: Path) -> ServiceSecrets:
    """Reads the file, creating or completing it if necessary."""
    if not path.exists():
        _create_file(path, ServiceSecrets.generate())
    document = _read_document(path)
    if "sealing_keys" not in document:
        document = _add_sealing_key(path)
    pepper, cursor_keys = _decode_base64(document["pepper"], path), _parse_keys(document, "cursor_keys", path)
    return ServiceSecrets(pepper, cursor_keys, _parse_keys(document, "sealing_keys", path))


def _create_file(path: Path, secrets: ServiceSecrets) -> None:
    """Writes the file atomically: two processes starting together must end with the same file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    document = {
        "pepper": _encode_base64(secrets.pepper),
        "cursor_keys": [_encode_base64(key) for key in secrets.cursor_keys],
        "sealing_keys": [_encode_base64(key) for key in secrets.sealing_keys],
    }
    with _temporary_file(path, document) as beside, suppress(FileExistsError):
        os.link(beside, path)  # fails if another process was first: its file is used


def _add_sealing_key(path: Path) -> dict[str, Any]:
    """Adds a sealing key to a file of an earlier version; processes that start together use the same."""
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        document = _read_document(path)
        if "sealing_keys" not in document:
            document["sealing_keys"] = [_encode_base64(os.urandom(SECRET_BYTES))]
            with _temporary_file(path, document) as beside:
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
def _temporary_file(path: Path, document: Mapping[str, Any]) -> Iterator[Path]:
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


def _read_document(path: Path) -> dict[str, Any]:
    """The file's members; checks those that every version has."""
    try:
        document = json.loads(path.read_text())
        _decode_base64(document["pepper"], path)
        _parse_keys(document, "cursor_keys", path)
    except (json.JSONDecodeError, KeyError, TypeError) as error:
        raise SecretsError(f"{path} is not a secrets file: restore the original or delete it") from error
    return document


def _parse_keys(document: Mapping[str, Any], member: str, path: Path) -> tuple[bytes, ...]:
    written = document[member]
    if not isinstance(written, list) or not written:
        raise SecretsError(f"{path}: {member} must list one or more keys")
    return tuple(_decode_base64(key, path) for key in written)


def _encode_base64(secret: bytes) -> str:
    return base64.b64encode(secret).decode()


def _decode_base64(text: str, path: Path) -> bytes:
    try:
        return parse_secret(text)
    except (ValueError, TypeError) as error:
        raise SecretsError(f"{path}: {error}") from None
