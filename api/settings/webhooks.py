"""Webhook settings, frozen; read with the other settings (`api.settings.service`).

Defaults are the contract's (docs/contract/contract.md 4.7); tests and trials shorten them. Does not belong
here: their use.
"""

from typing import Annotated, Final, Self

from pydantic import Field, model_validator
from pydantic_settings import SettingsConfigDict

from api.settings.parsers import parse_hosts, parse_waits
from warehouse.settings.area import AreaSettings, from_text
from warehouse.settings.texts import Network, parse_networks

_LEASE_SECONDS: Final = 30.0
_LEASE_MARGIN_SECONDS: Final = 20.0
_Networks = Annotated[tuple[Network, ...], from_text(parse_networks)]


class WebhookSettings(AreaSettings):
    """Webhooks."""

    model_config = SettingsConfigDict(env_prefix="FIRM_WEBHOOK_")

    deliver: bool = Field(
        default=True,
        validation_alias="FIRM_DELIVER",
        description="Whether `firm serve` delivers too; false where `firm deliver` runs.",
    )
    waits: Annotated[tuple[float, ...], from_text(parse_waits)] = Field(
        default=(60.0, 300.0, 1_800.0, 7_200.0, 43_200.0),
        description="Seconds to wait after each failed attempt; there is one more attempt than waits.",
    )
    ack_seconds: float = Field(
        default=10.0,
        ge=0.1,
        le=60,
        description="Seconds within which an endpoint must answer with 2xx, including the DNS look-up.",
    )
    lease_seconds: float = Field(
        default_factory=lambda given: max(_LEASE_SECONDS, given["ack_seconds"] + _LEASE_MARGIN_SECONDS),
        ge=1,
        le=3_600,
        description="Seconds until the work of a worker that is gone is taken over; by default at least 20 more than "
        "FIRM_WEBHOOK_ACK_SECONDS.",
    )
    in_flight: int = Field(default=256, ge=1, le=10_000, description="Attempts at once per worker.")
    in_flight_per_endpoint: int = Field(default=4, ge=1, le=100, description="Attempts at once per endpoint.")
    retention_days: int = Field(
        default=30, ge=1, le=3_650, description="Days that deliveries and their attempts can be read and replayed."
    )
    deny_networks: _Networks = Field(
        default=(),
        validation_alias="FIRM_WEBHOOK_DENY_CIDRS",
        description="Networks that deliveries must not go to though they are public: the addresses under which this "
        "service is reached from outside, where a router or cloud translates them. A machine's own addresses are "
        "refused anyway.",
    )
    allow_networks: _Networks = Field(
        default=(),
        validation_alias="FIRM_WEBHOOK_ALLOW_CIDRS",
        description="For trials on one machine: networks that deliveries may go to though they are not public, as "
        "127.0.0.0/8,::1/128. Leave it as it is in production.",
    )
    allow_http: bool = Field(
        default=False,
        description="For trials on one machine: whether http:// and any port are taken. Leave it as it is in "
        "production.",
    )

    service_hosts: Annotated[tuple[str, ...], from_text(parse_hosts)] = Field(
        default=(),
        description="Hosts, with their port where it is not 443, of services compatible with SQS or S3 that "
        "subscribers may name as destinations beside Amazon's own, as s3.example.com or 127.0.0.1:9000. The guard "
        "judges their addresses like any other's.",
    )
    batch_seconds: float = Field(
        default=60.0, ge=1, le=900, description="Seconds over which events for a bucket are gathered into one object."
    )

    @model_validator(mode="after")
    def _check_lease(self) -> Self:
        if self.lease_seconds <= self.ack_seconds:
            raise ValueError(
                f"FIRM_WEBHOOK_LEASE_SECONDS must be more than FIRM_WEBHOOK_ACK_SECONDS ({self.ack_seconds:g}), not "
                f"{self.lease_seconds:g}: 20 s more is recommended"
            )
        return self
