"""A subscription's destination as fields of a form, as its request body, and as words (docs/contract/contract.md 4.8f).

The rules are the API's: what is missing or wrong is passed on, so that its error is shown. No access key is ever
rendered: empty fields keep the stored one. Does not belong here: the pages (`api.dashboard.pages.webhooks`).
"""

from typing import Any, Final

from api.dashboard.html_forms import Form
from api.webhooks.destinations.models import OPTIONAL, REQUIRED, Settings

EMPTY: Final[Form] = {
    "kind": "https",
    "endpoint_url": "",
    "queue_url": "",
    "bucket": "",
    "prefix": "",
    "region": "",
    "endpoint": "",
}
KINDS: Final = {"https": "https endpoint", "sqs": "queue of Amazon SQS", "s3": "bucket of Amazon S3"}
NAMES: Final = {
    "kind": "Destination",
    "url": "Endpoint",
    "queue_url": "Queue URL",
    "bucket": "Bucket",
    "prefix": "Prefix",
    "region": "Region",
    "endpoint": "Endpoint of S3",
    "access_key_id": "Access key ID",
    "secret_access_key": "Secret access key",
}


def destination_values(members: Settings) -> Form:
    """The form fields of an existing destination."""
    found = {name: members.get(name, "") for name in EMPTY if name != "endpoint_url"}
    return {**found, "endpoint_url": members.get("url", "")}


def destination_body(form: Form, present: Settings | None) -> dict[str, Any]:
    """The member of a request body; none where the form says what is `present`."""
    kind = form.get("kind", "https")
    if kind == "https" or kind not in REQUIRED:
        url = form.get("endpoint_url", "").strip()
        unchanged = present is not None and url == present.get("url")
        return {} if unchanged else {"endpoint_url": url} if kind == "https" else {"destination": {"kind": kind}}
    written = {name: form.get(name, "").strip() for name in (*REQUIRED[kind], *OPTIONAL[kind])}
    given: dict[str, str | None] = {name: text for name, text in written.items() if text}
    if present is not None and present["kind"] == kind:
        told = {name: text for name, text in present.items() if name not in ("kind", "access_key_hint")}
        if given == told:
            return {}
        given |= {name: None for name in OPTIONAL[kind] if not written[name]}
    return {"destination": {"kind": kind, **given}}


def field_name(pointer: str) -> str | None:
    """The form's name of the member that an error points at; None outside a destination."""
    member, _, name = pointer.removeprefix("/").partition("/")
    return NAMES.get(name, NAMES["kind"]) if member == "destination" else None


def destination_words(members: Settings) -> str:
    """What the destination is, but for its URL."""
    kind = KINDS.get(members["kind"], members["kind"])
    told = [f"in {members['region']}"] if "region" in members else []
    told += [f"by the access key {members['access_key_hint']}"] if "access_key_hint" in members else []
    return ", ".join([kind, *told])
