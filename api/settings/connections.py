"""What a client's connection may cost, frozen; read with the other settings (`api.settings.service`).

Sizes of URLs, headers and bodies are not here: they are part of the API's contract (docs/limits.md).
"""

from pydantic import Field

from warehouse.settings.area import AreaSettings


class ConnectionSettings(AreaSettings):
    """Connections."""

    head_seconds: float = Field(
        default=10.0, ge=0.1, le=600, description="Seconds a client has to send a request line and its headers."
    )
    body_seconds: float = Field(
        default=10.0,
        ge=0.1,
        le=600,
        description="Seconds a client has to send a body, in addition to those that FIRM_BODY_BYTES_PER_SECOND gives.",
    )
    body_bytes_per_second: int = Field(
        default=4_096,
        ge=1,
        le=1 << 30,
        description="Slowest body: each so many bytes that arrive give the client one more second.",
    )
    write_seconds: float = Field(
        default=30.0, ge=0.1, le=3_600, description="Seconds a client has to take what was written to it."
    )
    keep_alive_seconds: int = Field(
        default=5,
        ge=1,
        le=3_600,
        description="Seconds an idle connection is kept after a response. Behind a proxy that reuses connections, "
        "more than the proxy keeps them.",
    )
    connections: int = Field(
        default=4_096, ge=1, le=1_000_000, description="Open connections per process; further ones get 503."
    )
    connections_per_address: int = Field(
        default=512,
        ge=1,
        le=1_000_000,
        description="Open connections of one client address per process; further ones get 503. Addresses in "
        "FIRM_TRUSTED_PROXIES have no such limit.",
    )
    unfinished_heads: int = Field(
        default=1_024,
        ge=1,
        le=1_000_000,
        description="Connections per process on which a request is awaited for over a second; the oldest are closed.",
    )
    unfinished_heads_per_address: int = Field(
        default=128,
        ge=1,
        le=1_000_000,
        description="The same for one client address. Addresses in FIRM_TRUSTED_PROXIES have no such limit.",
    )
