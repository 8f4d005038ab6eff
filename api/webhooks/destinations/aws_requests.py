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

_SIGNERS: Final = {"sqs": ("POST", SigV4Auth), "s3": ("PUT", S3SigV4Auth)}


@dataclass(frozen=True, slots=True)
class AccessKey:
    """An access key of the subscriber's account with Amazon, or with a compatible service; for one region."""

    region: str
    access_key_id: str = field(repr=False)
    secret_access_key: str = field(repr=False)


def signed_request(
    key: AccessKey, service: Literal["sqs", "s3"], url: str, headers: Mapping[str, str], body: bytes
) -> OutgoingRequest:
    """The request with its signature; `url` is sent exactly as it is signed."""
    method, signer = _SIGNERS[service]
    request = AWSRequest(method=method, url=url, data=body, headers=dict(headers))
    signer(Credentials(key.access_key_id, key.secret_access_key), service, key.region).add_auth(request)
    signed = {name: str(value) for name, value in cast("Mapping[str, object]", request.headers).items()}
    return OutgoingRequest(url, CONSTANT_HEADERS | signed, body, method)
