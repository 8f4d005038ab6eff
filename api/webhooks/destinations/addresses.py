"""Which addresses queues and buckets may have, and the URL that stands for a destination.

Amazon's own, or a compatible service that the operator names (FIRM_WEBHOOK_SERVICE_HOSTS): so nobody makes the service
sign requests to a host of their own. Wherever it is, the guard judges the address connected to. Does not belong here:
the syntax of URLs and name resolution (`api.webhooks.egress.url_policy`).
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from api.http.body_validation import ValidationErrors, json_pointer
from api.settings.webhooks import WebhookSettings
from api.webhooks.destinations.models import MEMBER, Settings, merged_destination
from api.webhooks.egress.url_policy import InvalidTargetError, parse_endpoint_url

_REGION: Final = r"([a-z]{2}(?:-[a-z]+){1,2}-[0-9]{1,2})"
_QUEUE_HOST: Final = re.compile(rf"sqs(?:-fips)?\.{_REGION}\.(?:amazonaws\.com(?:\.cn)?|api\.aws)")
_BUCKET_HOST: Final = re.compile(rf"s3(?:-fips)?(?:\.dualstack)?\.{_REGION}\.amazonaws\.com(?:\.cn)?")
_QUEUE_PATH: Final = re.compile(r"/[A-Za-z0-9_-]{1,40}/[A-Za-z0-9_-]{1,80}(?:\.fifo)?")
_IPV4: Final = re.compile(r"[0-9.]+")
_QUEUE_FORM: Final = "must be the URL of a queue: https://sqs.<region>.amazonaws.com/<account>/<name>"
_BUCKET_FORM: Final = "must be an endpoint of Amazon S3: https://s3.<region>.amazonaws.com"


def checked_destination(
    former: Settings | None, patch: Mapping[str, Any], rules: WebhookSettings, errors: ValidationErrors
) -> Settings | None:
    """The destination after a merge patch; None with the errors of what is missing, of another kind or not allowed.

    The URL of an https endpoint is not looked at (`api.webhooks.egress.url_policy.url_rejection`).
    """
    before = errors.count
    merged = merged_destination(former, patch, errors)
    if errors.count == before:
        _check_addresses(merged, rules, errors)
    return merged if errors.count == before else None


def _check_addresses(settings: Settings, rules: WebhookSettings, errors: ValidationErrors) -> None:
    if settings["kind"] == "sqs":
        _check_host("queue_url", settings, (_QUEUE_HOST, _QUEUE_PATH, _QUEUE_FORM), rules, errors)
    elif settings["kind"] == "s3":
        _check_bucket(settings["bucket"], errors)
        if "endpoint" in settings:
            _check_host("endpoint", settings, (_BUCKET_HOST, re.compile("/"), _BUCKET_FORM), rules, errors)
        elif not re.fullmatch(_REGION, settings["region"]):
            errors.add("format", "must be a region of Amazon, for example eu-north-1", json_pointer(MEMBER, "region"))


def destination_url(settings: Settings) -> str:
    """The URL that stands for a complete destination: the endpoint, the queue, or the bucket with its prefix."""
    if settings["kind"] == "s3":
        return bucket_url(settings) + settings.get("prefix", "")
    return settings["queue_url" if settings["kind"] == "sqs" else "url"]


def bucket_url(settings: Settings) -> str:
    """The URL of a bucket with a slash at its end; in the path where its host would have no valid certificate."""
    region, bucket = settings["region"], settings["bucket"]
    if "endpoint" in settings:
        return f"{settings['endpoint'].rstrip('/')}/{bucket}/"
    domain = f"s3.{region}.amazonaws.com{'.cn' if region.startswith('cn-') else ''}"
    return f"https://{domain}/{bucket}/" if "." in bucket else f"https://{bucket}.{domain}/"


def _check_host(
    member: str,
    settings: Settings,
    form: tuple[re.Pattern[str], re.Pattern[str], str],
    rules: WebhookSettings,
    errors: ValidationErrors,
) -> None:
    """`form`: what the host and the path of a URL must be, and how the error says so."""
    host_form, path_form, said = form
    pointer = json_pointer(MEMBER, member)
    try:
        url = parse_endpoint_url(settings[member], allow_http=rules.allow_http)
    except InvalidTargetError as error:
        errors.add(error.refusal.code, error.refusal.detail, pointer)
        return
    if url.raw_query_string or not path_form.fullmatch(url.raw_path):
        errors.add("format", said, pointer)
    elif url.authority in rules.service_hosts:
        return
    elif (found := host_form.fullmatch(url.raw_host or "")) is None or url.explicit_port not in (None, 443):
        errors.add("host_not_allowed", said, pointer)
    elif found[1] != settings["region"]:
        errors.add("region_mismatch", f"is in {found[1]}, not in region", pointer)


def _check_bucket(bucket: str, errors: ValidationErrors) -> None:
    if ".." in bucket or ".-" in bucket or "-." in bucket or _IPV4.fullmatch(bucket):
        errors.add("format", "must be the name of a bucket", json_pointer(MEMBER, "bucket"))
