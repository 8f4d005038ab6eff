"""What an answer of SQS or S3 means, in the error words of attempts (docs/contract/contract.md 4.8f).

The code that the service gives decides, else its status; the detail names the code and what to do. An answer may repeat
the access key's id, which the log shows by its last characters only. Does not belong here: retries, which are the same
for every destination (`api.webhooks.delivery.retry_policy`).
"""

import re
from dataclasses import replace
from typing import Final

from api.webhooks.destinations.aws_requests import AccessKey
from api.webhooks.egress.attempt_result import AttemptResult

_CODE: Final = re.compile(
    r"<Code>([A-Za-z0-9.]{1,80})</Code>|\"__type\"\s*:\s*\"(?:[^\"#]{0,80}#)?([A-Za-z0-9.]{1,80})\""
)
_TOO_LONG: Final = re.compile(r"must be shorter than|MaximumMessageSize|size exceed", re.IGNORECASE)
_HINT: Final = 4  # last characters
_REGION: Final = re.compile(r"[a-z0-9-]{1,30}")
_CODES: Final = {
    "access_denied": (
        *("AccessDenied", "AccessDeniedException", "AllAccessDisabled", "AuthFailure", "ExpiredToken"),
        *("IncompleteSignature", "InvalidAccessKeyId", "InvalidClientTokenId", "InvalidSignatureException"),
        *("MissingAuthenticationToken", "NotSignedUp", "RequestExpired", "RequestTimeTooSkewed", "InvalidSecurity"),
        *("SignatureDoesNotMatch", "UnrecognizedClientException", "OptInRequired", "KmsAccessDenied"),
    ),
    "destination_not_found": (
        *("NoSuchBucket", "QueueDoesNotExist", "NonExistentQueue", "QueueDeletedRecently"),
        "AWS.SimpleQueueService.NonExistentQueue",
    ),
    "throttled": (
        *("SlowDown", "Throttling", "ThrottlingException", "RequestThrottled", "RequestLimitExceeded"),
        *("TooManyRequestsException", "OverLimit", "KmsThrottled", "ServiceUnavailable"),
    ),
    "message_too_large": ("EntityTooLarge", "BatchRequestTooLong"),
    "wrong_region": ("PermanentRedirect", "TemporaryRedirect", "AuthorizationHeaderMalformed"),
}
_ERRORS: Final = {code: error for error, codes in _CODES.items() for code in codes}
_STATUSES: Final = {
    301: "wrong_region", 307: "wrong_region", 401: "access_denied", 403: "access_denied",
    404: "destination_not_found", 413: "message_too_large", 429: "throttled", 503: "throttled",
}  # fmt: skip
_DETAILS: Final = {
    "access_denied": "The {kind} denied access: check the access key and its policy",
    "destination_not_found": "There is no such {kind}",
    "throttled": "The {kind} takes no more requests for the moment",
    "message_too_large": "The event exceeds the maximum message size of the {kind}",
    "wrong_region": "The {kind} is in another region{region}",
}


def aws_result(result: AttemptResult, kind: str, key: AccessKey) -> AttemptResult:
    """The result in the words of a queue or bucket (`kind`); failures without an answer stay as they are."""
    if result.response_status is None:
        return result
    shown = replace(
        result,
        response_headers={name: _redacted(value, key) for name, value in (result.response_headers or {}).items()},
        response_body=None if result.response_body is None else _redacted(result.response_body, key),
    )
    return shown if result.has_succeeded else _failed(shown, kind)


def _failed(result: AttemptResult, kind: str) -> AttemptResult:
    found = _CODE.search(result.response_body or "")
    code = (found[1] or found[2]) if found else None
    error = _ERRORS.get(code or "")
    if code == "InvalidParameterValue" and _TOO_LONG.search(result.response_body or ""):
        error = "message_too_large"
    error = error or _STATUSES.get(result.response_status or 0, "http_status")
    told = f"{result.response_status}" if code is None else f"{result.response_status} {code}"
    wording = _DETAILS.get(error, "The {kind} refused the event")
    return replace(result, error=error, error_detail=f"{wording.format(kind=kind, region=_region(result))} ({told}).")


def _region(result: AttemptResult) -> str:
    named = (result.response_headers or {}).get("x-amz-bucket-region", "")
    return f", {named}" if _REGION.fullmatch(named) else ""


def _redacted(text: str, key: AccessKey) -> str:
    """The text without the key: a refusal may repeat its id, and no answer that repeats more is shown either."""
    return text.replace(key.secret_access_key, "…").replace(key.access_key_id, key_hint(key.access_key_id))


def key_hint(access_key_id: str) -> str:
    return f"…{access_key_id[-_HINT:]}"
