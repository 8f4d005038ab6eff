"""Path parameters of the webhook routes: their types in handlers, and their texts in the OpenAPI document."""

from typing import Annotated, TypeAlias

from litestar.params import PathParameter

from api.openapi.operation import path_parameter
from api.openapi.schema_types import ulid_schema


def _id_parameter(prefix: str, text: str, example: str, name: str | None = None) -> PathParameter:
    return path_parameter(text, ulid_schema(prefix, text), example, name)


SubscriptionId: TypeAlias = Annotated[
    str, _id_parameter("whs", "The subscription.", "whs_01kaf3w9c8m2v7q4x1z6t5y0r2", "id")
]
DeliveryId: TypeAlias = Annotated[str, _id_parameter("dlv", "The delivery.", "dlv_01kaf49n6m7p8q9r0s1t2v3w4x")]
ReplayId: TypeAlias = Annotated[str, _id_parameter("rpl", "The replay.", "rpl_01kaf5m0n1p2q3r4s5t6v7w8x9")]
