"""The description of a collection, and the variables that users may set.

Does not belong here: variables that requests pass on to later ones (`api.collections.scenario`).
"""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class CollectionVariable:
    name: str
    value: str
    description: str
    is_secret: bool = False


VARIABLES: Final = (
    CollectionVariable(
        "base_url", "http://127.0.0.1:8000", "Base URL of the service; the default is that of `make run`."
    ),
    CollectionVariable(
        "company_id", "", "Company to request, for example firm:SE:5599999991; if empty, the first one found."
    ),
    CollectionVariable(
        "endpoint_url", "", "URL that receives deliveries; if empty, requests that need a subscription are skipped."
    ),
    CollectionVariable("delivery_subscription_id", "", "The subscription of `delivery_id`."),
    CollectionVariable("delivery_id", "", "Delivery to read and retry; if empty, the newest one."),
    CollectionVariable("key", "", "A secret key: firm_live_…", is_secret=True),
)
ABOUT: Final = """\
Every operation of the API, made from its OpenAPI document (/api/openapi.json), with checks of every answer. \
Generated: changes here are overwritten.

Set `key` to a secret key and `base_url` to the service, then send single requests or run the whole from top to \
bottom: each request keeps what later ones need (a company, a cursor, a subscription), and what lacks something is \
skipped.

Requests on webhooks need the tier Pro or Business and, in `endpoint_url`, an https address of yours. The \
subscription that a run makes is deleted at its end.\
"""
