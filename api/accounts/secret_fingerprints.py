"""Fingerprints of the secrets, kept in the database beside the data that needs them.

Two machines with one database and different secrets reject each other's keys and cursors and cannot read each other's
webhook secrets; each alone looks well. So the first service to start records the fingerprint of each secret that it
uses, and one that lacks such a secret does not start. Does not belong here: the secrets themselves
(`api.auth.service_secrets`).
"""

import hashlib
import hmac
from datetime import datetime
from typing import Final

from sqlalchemy import Connection, delete, select, update

from api.auth.service_secrets import SecretsError, ServiceSecrets
from api.database.engine import Database, insert_into
from api.database.models.accounts import SecretFingerprint

_PURPOSE: Final = b"firm backup"  # manifests of backups have these fingerprints, too
_SETTINGS: Final = {"pepper": "FIRM_PEPPER", "cursor_keys": "FIRM_CURSOR_KEYS", "sealing_keys": "FIRM_SEALING_KEYS"}


class WrongSecretError(SecretsError):
    """A secret is not the one that the database was used with."""


def secret_fingerprint(secret: bytes) -> str:
    """Identifies a secret without revealing anything about it."""
    return hmac.new(secret, _PURPOSE, hashlib.sha256).hexdigest()[:16]


def compare_fingerprints(database: Database, secrets: ServiceSecrets) -> bool:
    """Compares the secrets with those that the database was used with last; True if these are the ones in use here.

    Of several keys the first is in use and all are accepted: a key is changed by adding the new one everywhere, as the
    last, before it becomes the first anywhere. Raises WrongSecretError if the secret in use elsewhere is not accepted
    here. Records nothing.
    """
    held, recorded = _held_fingerprints(secrets), database.read(_recorded_fingerprints)
    _require_accepted(held, recorded)
    return recorded == {name: fingerprints[0] for name, fingerprints in held.items()}


def check_fingerprints(database: Database, secrets: ServiceSecrets, at: datetime) -> None:
    """The same (`compare_fingerprints`), and records the secrets in use now."""
    if not compare_fingerprints(database, secrets):
        database.write(_record_fingerprints, _held_fingerprints(secrets), at)


def forget_fingerprints(database: Database) -> None:
    """Forgets what was recorded: the next service to start records its own secrets."""
    database.write(lambda connection: connection.execute(delete(SecretFingerprint)))


def _held_fingerprints(secrets: ServiceSecrets) -> dict[str, list[str]]:
    """Fingerprints of every key, by name of the secret."""
    keys = {"pepper": (secrets.pepper,), "cursor_keys": secrets.cursor_keys, "sealing_keys": secrets.sealing_keys}
    return {name: list(map(secret_fingerprint, those)) for name, those in keys.items()}


def _recorded_fingerprints(connection: Connection) -> dict[str, str]:
    rows = connection.execute(select(SecretFingerprint.name, SecretFingerprint.fingerprint))
    return {name: fingerprint for name, fingerprint in rows}  # noqa: C416 -- rows are not pairs to a type checker


def _require_accepted(held: dict[str, list[str]], recorded: dict[str, str]) -> None:
    """Raises WrongSecretError for the first secret that is missing."""
    for name, fingerprint in recorded.items():
        if name in held and fingerprint not in held[name]:
            raise WrongSecretError(
                f"{_SETTINGS[name]} is not the one that this database is used with (fingerprint {fingerprint}, here "
                f"{', '.join(held[name])}): set FIRM_PEPPER, FIRM_CURSOR_KEYS and FIRM_SEALING_KEYS as on the machines "
                "that share it, or copy their FIRM_DATA/secrets.json. If the old secrets are lost, every API key is "
                "void and every webhook secret must be rotated: begin anew with firm accounts forget-secrets"
            )


def _record_fingerprints(connection: Connection, held: dict[str, list[str]], at: datetime) -> None:
    """Records the secrets in use; checks again, for another service may have been first."""
    for name, fingerprints in held.items():
        values = {"name": name, "fingerprint": fingerprints[0], "recorded_at": at}
        connection.execute(insert_into(connection, SecretFingerprint).values(values).on_conflict_do_nothing())
    _require_accepted(held, _recorded_fingerprints(connection))
    for name, fingerprints in held.items():
        connection.execute(
            update(SecretFingerprint)
            .where(SecretFingerprint.name == name, SecretFingerprint.fingerprint != fingerprints[0])
            .values(fingerprint=fingerprints[0], recorded_at=at)
        )
