"""Requests signed by AWS Signature Version 4, by botocore, for the one egress to send.

The secret access key signs and is never part of a request. The time of a signature is the machine's own, which the
service compares with its own clock. Does not belong here: what a request says (`sqs`, `s3`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, cast

from botocore.auth import S3SigV4Auth, SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from api.webhooks.egress.payload import CONSTANT_HEADERS, OutgoingRequest

_SIGNERS: Final = {"sqs": SigV4Auth, "s3": S3SigV4Auth}


@dataclass(frozen=True, slots=True)
class AccessKey:
    """An access key of the subscriber's account with Amazon, or with a compatible service."""

    access_key_id: str = field(repr=False)
    secret_access_key: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class SigningScope:
    """What a signature is valid for."""

    service: Literal["sqs", "s3"]
    region: str
    key: AccessKey


def signed_request(
    scope: SigningScope, method: str, url: str, headers: Mapping[str, str], body: bytes
) -> OutgoingRequest:
    """The request with its signature; `url` is sent exactly as it is signed."""
    request = AWSRequest(method=method, url=url, data=body, headers=dict(headers))
    credentials = Credentials(scope.key.access_key_id, scope.key.secret_access_key)
    _SIGNERS[scope.service](credentials, scope.service, scope.region).add_auth(request)
    signed = {name: str(value) for name, value in cast("Mapping[str, object]", request.headers).items()}
    return OutgoingRequest(url, CONSTANT_HEADERS | signed, body, method)
