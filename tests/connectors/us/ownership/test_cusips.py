"""Whose a CUSIP is: written whole, without its zeros, or given to two issuers by a slip."""

import polars as pl

from connectors.contract.dataset import ComputedKey
from connectors.us.contributions.ownership import LINKS
from connectors.us.ownership.parse_values import padded_cusip, parse_cusip
from tests.tables import check_cases


@check_cases(
    ("written", "due"),
    [
        ("37833100", "037833100"),
        ("361105", "000361105"),  # three zeros were lost
        ("037833100", None),  # whole
        ("37833101", None),  # no check digit holds
        ("12345678", None),
    ],
)
def test_padded_cusip_by_its_check_digit(written: str, due: str | None) -> None:
    assert parse_cusip(written) == written
    assert padded_cusip(written) == due


def keys(rows: list[tuple[str, str | None]]) -> list[list[str | None]]:
    """The keys of the links of a manager's position, first to last."""
    frame = pl.DataFrame(rows, schema=["cusip", "issuer"], orient="row")
    links = [link for link in LINKS if link.table == "us_13f_position"]
    return [(link.key.of(frame) if isinstance(link.key, ComputedKey) else frame[link.key]).to_list() for link in links]


def test_link_keys_of_a_position_are_by_name_first_and_padded_only_by_name() -> None:
    assert keys([("37833100", "ALPHA ORCHARD INC"), ("037833100", "Alpha Orchard, Inc."), ("037833100", None)]) == [
        ["37833100/alpha orchard", "03783310/alpha orchard", None],
        ["03783310/alpha orchard", None, None],
        ["37833100/alpha", "03783310/alpha", None],  # a name cut short
        ["03783310/alpha", None, None],
        ["37833100", "037833100", "037833100"],
    ]
