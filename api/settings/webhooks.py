"""Webhook settings, frozen; read with the other settings (`api.settings.service`).

Defaults are the contract's (docs/contract/contract.md 4.7); tests and trials shorten them. Does not belong
here: their use.
"""

from dataclasses import dataclass
from typing import Final

from api.settings.env import EnvReader, Network, SettingError

_DAY: Final = 86_400.0
_LEASE_MARGIN_SECONDS: Final = 20.0


@dataclass(frozen=True, slots=True)
class WebhookSettings:
    """Webhook settings. Environment names are FIRM_WEBHOOK_ and the upper-case field name."""

    deliver: bool = True
    """Whether `firm serve` delivers too; false if `firm deliver` does (FIRM_DELIVER)."""

    waits: tuple[float, ...] = (60.0, 300.0, 1_800.0, 7_200.0, 43_200.0)
    """Seconds between a failed attempt and the next; there is one more attempt than waits."""

    ack_seconds: float = 10.0
    """Seconds within which an endpoint must respond with 2xx, including the DNS look-up."""

    lease_seconds: float = 30.0
    """Lease of an endpoint queue; at least the acknowledgement time plus 20 s."""

    in_flight: int = 256
    """Maximum concurrent attempts per worker."""

    in_flight_per_endpoint: int = 4
    """Maximum concurrent attempts per endpoint."""

    retention_days: int = 30
    """How long deliveries and their attempts can be read and replayed."""

    allow_networks: tuple[Network, ...] = ()
    """Non-public networks that deliveries may go to (FIRM_WEBHOOK_ALLOW_CIDRS): for trials."""

    deny_networks: tuple[Network, ...] = ()
    """Public networks that deliveries may not go to (FIRM_WEBHOOK_DENY_CIDRS): one's own behind NAT."""

    allow_http: bool = False
    """Whether http:// endpoints and any port are accepted: for trials."""

    @classmethod
    def read(cls, read: EnvReader) -> "WebhookSettings":
        default = cls()
        ack = read.number("FIRM_WEBHOOK_ACK_SECONDS", default.ack_seconds, 0.1, 60)
        lease = read.number(
            "FIRM_WEBHOOK_LEASE_SECONDS", max(default.lease_seconds, ack + _LEASE_MARGIN_SECONDS), 1, 3_600
        )
        if lease <= ack:
            raise SettingError(
                f"FIRM_WEBHOOK_LEASE_SECONDS must be more than FIRM_WEBHOOK_ACK_SECONDS ({ack:g}), not {lease:g}: "
                "20 s more is recommended"
            )
        return cls(
            deliver=read.flag("FIRM_DELIVER", default.deliver),
            waits=read.seconds("FIRM_WEBHOOK_WAITS", default.waits, 0, 7 * _DAY),
            ack_seconds=ack,
            lease_seconds=lease,
            in_flight=read.integer("FIRM_WEBHOOK_IN_FLIGHT", default.in_flight, 1, 10_000),
            in_flight_per_endpoint=read.integer(
                "FIRM_WEBHOOK_IN_FLIGHT_PER_ENDPOINT", default.in_flight_per_endpoint, 1, 100
            ),
            retention_days=read.integer("FIRM_WEBHOOK_RETENTION_DAYS", default.retention_days, 1, 3_650),
            allow_networks=read.networks("FIRM_WEBHOOK_ALLOW_CIDRS"),
            deny_networks=read.networks("FIRM_WEBHOOK_DENY_CIDRS"),
            allow_http=read.flag("FIRM_WEBHOOK_ALLOW_HTTP", default.allow_http),
        )
