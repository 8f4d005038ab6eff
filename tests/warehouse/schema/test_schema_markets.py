"""Markets are read from their folders: what a declaration may say, and what is refused with the file's name."""

import re
import tempfile
from pathlib import Path

import pytest

from tests.tables import check_cases
from warehouse.schema.markets import MARKETS, MarketDeclarationError, NumberFormat, read_markets

DECLARATION = """
name = "Ruritania"
state = "served"
time_zone = "Europe/Vienna"
classification = "NACE"
register = { name = "Central Register", code = "XR-CR" }

[number]
bare = "XR[0-9]{8}"
prefix = "XR"
length = 8
in_words = "XR and 8 digits"
"""


def declared(folder: Path, text: str = DECLARATION, listed: str = '["xr"]') -> Path:
    (folder / "xr").mkdir()
    (folder / "xr" / "market.toml").write_text(text)
    (folder / "markets.toml").write_text(f"markets = {listed}\n")
    return folder


def test_read_markets_folder_and_line_is_a_market(tmp_path: Path) -> None:
    (market,) = read_markets(declared(tmp_path))
    assert (market.code, market.name, market.codes, market.number.scoped_pattern) == (
        "XR",
        "Ruritania",
        ("XR",),
        "XR[0-9]{8}",
    )


@check_cases("listed", ["[]", '["xr", "xr"]', '["xr", "xs"]'])
def test_read_markets_list_that_differs_from_folders_is_refused(listed: str, tmp_path: Path) -> None:
    folder = Path(tempfile.mkdtemp(dir=tmp_path))
    with pytest.raises(MarketDeclarationError, match=r"markets\.toml must list every folder .* once: xr"):
        read_markets(declared(folder, listed=listed))


@check_cases(
    ("old", "new", "said"),
    [
        ('state = "served"', 'state = "secret"', "state"),
        ("length = 8", 'length = "8"', "length"),
        ('name = "Ruritania"\n', "", "name"),
        ("[number]", "colour = 1\n\n[number]", "colour"),
        ("[number]", "[number", "line"),
        ("Europe/Vienna", "Europe/Strelsau", "no time zone"),
        ('time_zone = "Europe/Vienna"\n', "", "time_zone"),
        ('bare = "XR[0-9]{8}"\n', "", "neither `bare` nor `scoped`"),
        ('bare = "XR[0-9]{8}"', 'bare = "XR[0-9{8}"', "not a regular expression"),
        ("length = 8", "length = 8\nweights = [2, 1]", "2 weights for 8 digits"),
    ],
)
def test_read_markets_wrong_declaration_is_refused_with_its_file(old: str, new: str, said: str, tmp_path: Path) -> None:
    folder = Path(tempfile.mkdtemp(dir=tmp_path))
    with pytest.raises(MarketDeclarationError, match=rf"market\.toml: .*{said}"):
        read_markets(declared(folder, DECLARATION.replace(old, new)))


@check_cases(
    ("declared", "written", "number"),
    [
        (NumberFormat(length=8, in_words="", prefix="XR"), "xr-123", "XR00000123"),
        (NumberFormat(length=8, in_words="", letters=2), "sc123", "SC000123"),
        (NumberFormat(length=8, in_words="", hyphen=7), "01120389", "0112038-9"),
        (NumberFormat(length=9, in_words=""), "0923609016", "923609016"),
    ],
)
def test_canonical_any_spelling_is_one_number(declared: NumberFormat, written: str, number: str) -> None:
    assert declared.canonical(written) == number


@check_cases(
    ("market", "number"),
    [
        *(("SE", "5560125790"), ("NO", "923609016"), ("FI", "0112038-9"), ("DK", "24256790")),
        *(("UK", "01234567"), ("UK", "R1234567"), ("UK", "SC123456"), ("US", "US0000320193")),
    ],
)
def test_canonical_pattern_matches_numbers_that_canonical_leaves_as_they_are(market: str, number: str) -> None:
    declared = MARKETS[market].number
    assert re.fullmatch(declared.canonical_pattern, number)
    assert declared.canonical(number) == number
    for other in (number.lower() + "0", number[1:], f"0{number}", f"{number[:4]}-{number[4:]}", f"{number}\n"):
        assert not re.fullmatch(declared.canonical_pattern, other)


@check_cases(
    ("market", "number", "is_valid"),
    [
        ("SE", "5560125790", True),
        ("SE", "5560125791", False),
        ("NO", "923609016", True),
        ("NO", "923609017", False),
        ("FI", "0112038-9", True),
        ("FI", "0112038-8", False),
        ("DK", "24256790", True),
        ("DK", "24256791", False),
        ("UK", "SC123456", True),
        ("US", "US0000320193", True),
    ],
)
def test_is_valid_follows_the_declared_check_digit(market: str, number: str, is_valid: bool) -> None:
    assert MARKETS[market].number.is_valid(number) is is_valid


def test_read_markets_two_of_one_code_are_refused(tmp_path: Path) -> None:
    folder = declared(tmp_path, listed='["xr", "xs"]')
    (folder / "xs").mkdir()
    (folder / "xs" / "market.toml").write_text('iso = "XR"\n' + DECLARATION)
    with pytest.raises(MarketDeclarationError, match=r"markets\.toml: two markets have the code XR"):
        read_markets(folder)


def test_read_markets_without_its_list_names_the_file(tmp_path: Path) -> None:
    (declared(tmp_path) / "markets.toml").unlink()
    with pytest.raises(MarketDeclarationError, match=r"markets\.toml must be a list `markets`"):
        read_markets(tmp_path)


def test_markets_fit_the_sort_keys() -> None:
    assert len(MARKETS) <= 8  # three bits (warehouse.serving.sort_keys)
