"""Every declared market has one jurisdiction."""

from connectors import JURISDICTIONS
from warehouse.schema.markets import MARKETS


def test_jurisdictions_are_the_declared_markets_by_code() -> None:
    assert [made.code for made in JURISDICTIONS] == sorted(MARKETS)
