"""Destinations as they are stored, sealed, and opened again for an attempt.

Stored are a kind, settings without secrets as JSON, and the sealed access key; an https endpoint has only its URL. Keys
that seal are those of signing secrets (`api.auth.encryption`). Does not belong here: columns (`api.database`), or what
clients may send (`api.webhooks.destinations.models`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

from api.auth.encryption import SecretBox
from api.webhooks.destinations.addresses import destination_url
from api.webhooks.destinations.aws_requests import AccessKey
from api.webhooks.destinations.aws_results import key_hint
from api.webhooks.destinations.destination import Destination
from api.webhooks.destinations.https import HttpsEndpoint
from api.webhooks.destinations.models import SECRETS, Settings
from api.webhooks.destinations.s3 import S3Bucket
from api.webhooks.destinations.sqs import SqsQueue

_TEXTS: Final = msgspec.json.Decoder(dict[str, str])


@dataclass(frozen=True, slots=True)
class StoredDestination:
    """What is stored of a subscription's destination; a record of a subscription has more."""

    endpoint_url: str
    destination: str | None
    credentials: bytes | None = field(repr=False)


def destination_columns(settings: Settings, sealer: SecretBox) -> dict[str, Any]:
    kind = settings["kind"]
    told = {name: value for name, value in settings.items() if name not in SECRETS}
    secrets = {name: settings[name] for name in SECRETS if name in settings}
    if secrets:
        told["access_key_hint"] = key_hint(secrets["access_key_id"])
    return {
        "endpoint_url": destination_url(settings),
        "destination_kind": kind,
        "destination": None if kind == "https" else msgspec.json.encode(told).decode(),
        "credentials": sealer.seal(msgspec.json.encode(secrets).decode()) if secrets else None,
    }


def destination_members(stored: StoredDestination) -> Mapping[str, str]:
    """The destination as it is served."""
    if stored.destination is None:
        return {"kind": "https", "url": stored.endpoint_url}
    return _TEXTS.decode(stored.destination)


def complete_settings(stored: StoredDestination, sealer: SecretBox) -> Settings:
    """The destination with its secrets; raises SealingError."""
    told = {name: value for name, value in destination_members(stored).items() if name != "access_key_hint"}
    return told if stored.credentials is None else {**told, **_TEXTS.decode(sealer.open(stored.credentials))}


def open_destination(stored: StoredDestination, sealer: SecretBox) -> Destination:
    """The destination of a subscription, ready to deliver to; raises SealingError."""
    settings = complete_settings(stored, sealer)
    if settings["kind"] == "https":
        return HttpsEndpoint(settings["url"])
    key = AccessKey(settings["region"], *(settings[name] for name in SECRETS))
    return (SqsQueue if settings["kind"] == "sqs" else S3Bucket)(destination_url(settings), key)
