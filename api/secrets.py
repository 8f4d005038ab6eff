"""The service's own secrets: the pepper of key digests and the keys that sign cursors.

Made once into `FIRM_DATA/secrets.json` (mode 0600), or given by settings (FIRM_PEPPER, FIRM_CURSOR_KEYS).
The composition root loads them and passes them on; nothing else opens the file. Members that this module does
not know are kept as they are.
"""

import base64
import binascii
import json
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from api.settings import SettingError

_BYTES: Final = 32


class SecretsError(ValueError):
    """The secrets file or setting cannot be used; the message says where and why, never the value."""


class SecretSettingError(SecretsError, SettingError):
    """A secret given by a setting cannot be used."""


@dataclass(frozen=True, slots=True)
class Secrets:
    """What signs and digests. The first cursor key signs, all verify, so that a rotation keeps tails."""

    pepper: bytes = field(repr=False)
    cursor_keys: tuple[bytes, ...] = field(repr=False)

    @classmethod
    def generate(cls) -> "Secrets":
        return cls(pepper=os.urandom(_BYTES), cursor_keys=(os.urandom(_BYTES),))


def load_or_create(path: Path, environment: Mapping[str, str] | None = None) -> Secrets:
    """The secrets of this installation: given by the environment, else from `path`, else made there once."""
    given = environment or {}
    pepper, keys = given.get("FIRM_PEPPER", ""), given.get("FIRM_CURSOR_KEYS", "")
    if pepper and keys:
        return Secrets(
            pepper=_given(pepper, "FIRM_PEPPER"),
            cursor_keys=tuple(_given(key, "FIRM_CURSOR_KEYS") for key in keys.split(",")),
        )
    if pepper or keys:
        raise SecretSettingError("set both FIRM_PEPPER and FIRM_CURSOR_KEYS, or neither")
    if not path.exists():
        _create(path, Secrets.generate())
    return _read(path)


def _create(path: Path, secrets: Secrets) -> None:
    """Write whole or not at all: two processes starting together must end with the same file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    document = {
        "pepper": _encode(secrets.pepper),
        "cursor_keys": [_encode(key) for key in secrets.cursor_keys],
    }
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")  # its mode is 0600
    beside = Path(name)
    try:
        with os.fdopen(handle, "w") as file:
            json.dump(document, file, indent=1)
            file.flush()
            os.fsync(file.fileno())
        os.link(beside, path)  # fails where another process was first: its file stands
    except FileExistsError:
        pass
    finally:
        beside.unlink(missing_ok=True)


def _read(path: Path) -> Secrets:
    try:
        document = json.loads(path.read_text())
        pepper, keys = document["pepper"], document["cursor_keys"]
    except (json.JSONDecodeError, KeyError, TypeError) as error:
        raise SecretsError(
            f"{path} is not a secrets file: put back the one that was made, or remove it"
        ) from error
    if not keys:
        raise SecretsError(f"{path} names no cursor key")
    return Secrets(_decode(pepper, str(path)), tuple(_decode(key, str(path)) for key in keys))


def _encode(secret: bytes) -> str:
    return base64.b64encode(secret).decode()


def _given(text: str, name: str) -> bytes:
    try:
        return _decode(text, name)
    except SecretsError as error:
        raise SecretSettingError(str(error)) from None


def _decode(text: str, where: str) -> bytes:
    try:
        secret = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError, TypeError):
        raise SecretsError(f"{where}: a secret is base64 of at least 32 bytes") from None
    if len(secret) < _BYTES:
        raise SecretsError(f"{where}: a secret is base64 of at least 32 bytes")
    return secret
