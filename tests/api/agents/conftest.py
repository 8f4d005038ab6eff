"""A running service and the protocol's client of its tools."""

from tests.sdk.conftest import live, migrated, shared_serve, world  # noqa: F401 -- fixtures
