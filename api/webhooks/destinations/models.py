"""A subscription's destination in requests and responses, and how a change is merged (docs/contract/contract.md 4.8f).

`kind` says which members a destination has. Stored and served are the members that are set, without the secret access
key, of which nothing is served, and with the last characters of the key's id. Does not belong here: which addresses are
allowed (`api.webhooks.destinations.addresses`), or sealing (`api.webhooks.destinations.opening`).
"""

from collections.abc import Mapping
from typing import Any, Final

from pydantic import ConfigDict, WithJsonSchema

from api.http.body_validation import ValidationErrors, json_pointer
from api.openapi.examples import webhooks as examples
from api.schemas import declare
from api.schemas.declare import OMITTED, RequestModel, Requirement, ResponseModel, with_metadata

KINDS: Final = ("https", "sqs", "s3")
MEMBER: Final = "destination"
Settings = Mapping[str, str]
"""The members of a destination that are set; in a change null ends one."""
SECRETS: Final = ("access_key_id", "secret_access_key")
REQUIRED: Final = {"https": ("url",), "sqs": ("queue_url", "region", *SECRETS), "s3": ("bucket", "region", *SECRETS)}
OPTIONAL: Final = {"https": (), "sqs": (), "s3": ("prefix", "endpoint")}
_REGION_PATTERN: Final = "^[a-z0-9-]{2,30}$"
_BUCKET_PATTERN: Final = r"^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$"
_PREFIX_PATTERN: Final = r"^([A-Za-z0-9_=-][A-Za-z0-9_.=-]*/)*([A-Za-z0-9_=-][A-Za-z0-9_.=-]*)?$"
_KIND: Final = "`https`: an endpoint. `sqs`: a queue of Amazon SQS. `s3`: a prefix of a bucket of Amazon S3."
_URL: Final = "Of `https`: the endpoint, as in `endpoint_url`."
_QUEUE: Final = "Of `sqs`: the queue's URL."
_REGION: Final = "Of `sqs` and `s3`: the region of the queue or bucket."
_BUCKET: Final = "Of `s3`: the bucket's name."
_PREFIX: Final = "Of `s3`: what the keys of objects begin with, as a folder; a slash at its end is added."
_ENDPOINT: Final = "Of `s3`: another endpoint of the region, as one for FIPS. Omit it otherwise."
_KEY_ID: Final = "Of `sqs` and `s3`: the id of an access key that may send to the queue or put into the bucket."
_SEALED: Final = "Of `sqs` and `s3`: its secret. It is sealed, and never returned."
_HINT: Final = "Of `sqs` and `s3`: the last characters of the access key's id."


def _text(most: int, description: str, pattern: str, requirement: str) -> Any:
    field = declare.text(most, description, pattern=pattern, default=OMITTED)
    field.metadata = [one for one in field.metadata if not isinstance(one, Requirement)]
    return with_metadata(field, Requirement(requirement, requirement))


def address_field(description: str) -> Any:
    """An https URL, of which only the form is checked here."""
    schema = {"type": "string", "description": description, "format": "uri", "maxLength": 2_048, "minLength": 9}
    return with_metadata(
        declare.text(2_048, description, default=OMITTED),
        WithJsonSchema(schema | {"pattern": r"^https://[^/?#@\s]+([/?][^#\s]*)?$"}),
    )


class NewDestination(RequestModel):
    """Where events go; `kind` says which members there are."""

    model_config = ConfigDict(json_schema_extra={"examples": examples.NEW_DESTINATIONS})

    kind: str = declare.word(KINDS, _KIND)
    url: str = address_field(_URL)
    queue_url: str = address_field(_QUEUE)
    bucket: str = _text(63, _BUCKET, _BUCKET_PATTERN, "must be the name of a bucket")
    prefix: str | None = _text(
        512, _PREFIX, _PREFIX_PATTERN, "must have letters, digits and _ . = - alone, with / between its parts"
    )
    region: str = _text(30, _REGION, _REGION_PATTERN, "must be a region, for example eu-north-1")
    endpoint: str | None = address_field(_ENDPOINT)
    access_key_id: str = _text(128, _KEY_ID, "^[A-Za-z0-9_.+=@-]{3,128}$", "must be the id of an access key")
    secret_access_key: str = _text(128, _SEALED, "^[!-~]{8,128}$", "must be the secret of an access key")


class SubscriptionDestination(ResponseModel):
    """Where events go."""

    kind: str = declare.open_word(KINDS, _KIND)
    url: str = declare.text(2_048, _URL, default=OMITTED)
    queue_url: str = declare.text(2_048, _QUEUE, default=OMITTED)
    bucket: str = declare.text(63, _BUCKET, default=OMITTED)
    prefix: str = declare.text(513, _PREFIX, default=OMITTED)
    region: str = declare.text(30, _REGION, default=OMITTED)
    endpoint: str = declare.text(2_048, _ENDPOINT, default=OMITTED)
    access_key_hint: str = declare.text(10, _HINT, pattern="^….{1,4}$", default=OMITTED)


def merged_destination(former: Settings | None, patch: Mapping[str, Any], errors: ValidationErrors) -> Settings:
    """The destination after a merge patch (RFC 7396); adds the errors of what is missing or belongs to another kind.

    `former`: the present one with its secrets, None at a creation. Another kind takes nothing over.
    """
    kind = patch["kind"]
    kept = former if former is not None and former["kind"] == kind else {}
    merged = {name: value for name, value in {**kept, **patch, "kind": kind}.items() if value is not None}
    if prefix := merged.pop("prefix", ""):
        merged["prefix"] = prefix if prefix.endswith("/") else f"{prefix}/"
    allowed = ("kind", *REQUIRED[kind], *OPTIONAL[kind])
    for name in patch:
        if name not in allowed:
            errors.add("unknown_member", f"'{name}' is not a member of kind {kind}", json_pointer(MEMBER, name))
    for name in REQUIRED[kind]:
        if name not in merged:
            errors.add("missing", f"'{name}' is required for kind {kind}", json_pointer(MEMBER, name))
    _check_key_is_whole(kept, patch, errors)
    return {name: merged[name] for name in allowed if name in merged}


def _check_key_is_whole(kept: Settings, patch: Mapping[str, Any], errors: ValidationErrors) -> None:
    """An id without its secret, or a secret without its id, would be one half of two keys."""
    given = [name for name in SECRETS if name in patch]
    if kept and len(given) == 1:
        [absent] = set(SECRETS) - set(given)
        errors.add("missing", f"'{absent}' is required with '{given[0]}'", json_pointer(MEMBER, absent))
