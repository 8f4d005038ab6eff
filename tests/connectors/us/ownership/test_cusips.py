"""Whose a CUSIP is: written whole, without its zeros, or given to two issuers by a slip."""

import polars as pl

from connectors.contract.dataset import ComputedKey
from connectors.us.contributions.ownership import LINKS
from connectors.us.ownership.parse_values import padded_cusip, parse_cusip
from tests.connectors.us.holder_files import CUSIP, STAKES, person_g, read, rows, schedule_g
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


@check_cases(
    ("written", "due"),
    [
        ("O2079K305", "02079K305"),
        ("O2079K306", "O2079K306"),  # no check digit holds
        ("'037833100", "037833100"),
        ("999999999", None),
        ("000000000", None),
    ],
)
def test_parse_cusip_reads_letters_that_no_cusip_has_as_digits(written: str, due: str | None) -> None:
    assert parse_cusip(written) == due


def test_schedule_whose_cusip_lost_its_zeros_links_both_spellings() -> None:
    text = schedule_g(person_g("ALPHA LP", "7", cik="0000000008")).replace(CUSIP, "37833100")
    found = rows(read(STAKES, text, "0000000008-26-000001.xml"), "us_cusip")
    assert [row["cusip"] for row in found] == ["37833100", "037833100"]


def keys(positions: list[tuple[str, str | None]]) -> list[list[str | None]]:
    """The keys of the links of a manager's position, first to last."""
    frame = pl.DataFrame(positions, schema=["cusip", "issuer"], orient="row")
    links = [link for link in LINKS if link.table == "us_13f_position"]
    return [(link.key.of(frame) if isinstance(link.key, ComputedKey) else frame[link.key]).to_list() for link in links]


def test_link_keys_of_a_position_are_by_name_first_and_padded_only_by_name() -> None:
    assert keys([("37833100", "ALPHA ORCHARD INC"), ("037833100", "Alpha Orchard, Inc."), ("037833100", None)]) == [
        ["37833100/alpha orchard", "03783310/alpha orchard", None],
        ["03783310/alpha orchard", None, None],
        ["37833100/alpha", "03783310/alpha", None],  # a name cut short
        ["03783310/alpha", None, None],
        ["378331/alpha orchard", "037833/alpha orchard", None],  # another issue of the issuer
        ["37833100", "037833100", "037833100"],
    ]
