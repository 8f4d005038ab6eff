"""Natures of control: bands, control, directness (docs/formats/uk.md 4.1)."""

import re
from decimal import Decimal

import polars as pl
import pytest

from connectors.uk.psc import dataset as psc_dataset
from connectors.uk.psc import natures_of_control
from tests.connectors.uk.conftest import Bench
from tests.tables import check_cases

DATA = psc_dataset.DATASET
LINES = "psc-snapshot-2026-11-01_1of2.txt"
WHOLE = "persons-with-significant-control-snapshot-2026-11-01.txt"
INDIVIDUAL = "individual-person-with-significant-control"
CORPORATE = "corporate-entity-person-with-significant-control"
SHARES = "ownership-of-shares-25-to-50-percent"


def bands(*codes):
    found = natures_of_control.with_ownership_bands(
        pl.DataFrame({"natures_of_control": [list(codes)]}, schema={"natures_of_control": pl.List(pl.String)})
    ).row(0, named=True)
    return tuple(None if found[name] is None else int(found[name]) for name in natures_of_control.BANDS[:4]), found


@check_cases(
    ("code", "low", "high"),
    [
        ("ownership-of-shares-25-to-50-percent", 25, 50),
        ("ownership-of-shares-50-to-75-percent", 50, 75),
        ("ownership-of-shares-75-to-100-percent", 75, 100),
        ("ownership-of-shares-more-than-25-percent-registered-overseas-entity", 25, 100),
        ("ownership-of-shares-25-to-50-percent-as-trust", 25, 50),
        ("ownership-of-shares-more-than-25-percent-as-control-over-firm-registered-overseas-entity", 25, 100),
    ],
)
def test_bands_of_shares_and_votes(code, low, high):
    assert bands(code)[0] == (low, high, None, None)
    votes = code.replace("ownership-of-shares", "voting-rights")
    assert bands(votes)[0] == (None, None, low, high)


@pytest.mark.parametrize(
    "code",
    [
        "ownership-of-shares-4294967296-to-50-percent",
        "ownership-of-shares-25-to-101-percent",
        "voting-rights-more-than-100-percent",
        "ownership-of-shares-75-to-25-percent",
        "voting-rights-50-to-50-percent-as-trust",
    ],
)
def test_a_share_that_is_none_is_no_band(code):
    assert bands(code)[0] == (None, None, None, None)
    assert bands(code, SHARES)[0] == (25, 50, None, None)
    assert bands(code)[1]["controls"] == [code]


def test_other_rights_are_control_and_no_percentage(make, bench):
    codes = ["right-to-appoint-and-remove-directors", "part-right-to-share-surplus-assets-75-to-100-percent"]
    found = bench.holding(make.record(natures_of_control=codes))
    assert (found["pct_min"], found["pct_max"], found["votes_min"], found["basis"]) == (None, None, None, None)
    assert found["controls"] == sorted(codes)


def test_shares_votes_and_control_of_one_record(make, bench):
    codes = [SHARES, "voting-rights-50-to-75-percent", "significant-influence-or-control"]
    found = bench.holding(make.record(natures_of_control=codes))
    assert (found["pct_min"], found["pct_max"]) == (Decimal("25.0000"), Decimal("50.0000"))
    assert (found["votes_min"], found["votes_max"]) == (Decimal("50.0000"), Decimal("75.0000"))
    assert (found["pct"], found["votes_pct"], found["basis"]) == (None, None, "band")
    assert found["controls"] == ["significant-influence-or-control"]


def test_a_band_in_ones_own_right_counts_before_one_through_a_trust():
    found, _ = bands("ownership-of-shares-75-to-100-percent-as-trust", SHARES)
    assert found == (25, 50, None, None)
    found, _ = bands("ownership-of-shares-75-to-100-percent-as-trust", f"{SHARES}-as-firm")
    assert found == (75, 100, None, None)


@check_cases(
    ("codes", "is_direct"),
    [
        ([SHARES], None),
        ([f"{SHARES}-as-trust"], False),
        ([f"{SHARES}-as-trust", "voting-rights-25-to-50-percent-as-firm"], False),
        ([f"{SHARES}-as-trust", "voting-rights-25-to-50-percent"], None),
        (["something-new-as-trust"], None),
        ([], None),
    ],
)
def test_directness_is_denied_for_trusts_and_firms_and_never_claimed(codes, is_direct):
    assert bands(*codes)[1]["is_direct"] is is_direct


def test_a_band_that_the_register_does_not_publish_is_read_as_written_and_signalled(make, bench):
    code = "ownership-of-shares-10-to-25-percent"
    assert bands(code)[0] == (10, 25, None, None)
    read = bench.upsert(DATA, make.lines(make.record(natures_of_control=[code])), LINES)
    assert read.signalled("unknown_nature") == {code: (1, ("01234567",))}


def test_an_unknown_nature_is_kept_and_signalled(make, bench):
    read = bench.upsert(DATA, make.lines(make.record(natures_of_control=[SHARES, "telepathy"])), LINES)
    assert read.signalled("unknown_nature") == {"telepathy": (1, ("01234567",))}
    found = bench.normalise()["holdings"].row(0, named=True)
    assert (found["controls"], found["pct_min"]) == (["telepathy"], Decimal(25))


@check_cases(
    ("codes", "basis"),
    [
        ([], "band"),
        (None, "band"),
        (["telepathy"], "band"),
        (["significant-influence-or-control", "ownership-of-shares-75-to-25-percent"], "band"),
        (["significant-influence-or-control"], None),
    ],
)
def test_a_share_that_a_record_does_not_state_is_unknown_and_not_control_only(make, codes, basis):
    found = Bench().holding(make.record(natures_of_control=codes))
    assert (found["basis"], found["pct_min"], found["votes_min"]) == (basis, None, None)


@check_cases(
    ("data", "is_signalled"),
    [
        ({"natures_of_control": []}, True),
        ({"natures_of_control": None}, True),
        ({"natures_of_control": [], "ceased_on": "2020-01-02"}, False),
        ({"natures_of_control": [], "kind": "super-secure-person-with-significant-control"}, False),
        ({}, False),
    ],
)
def test_a_record_in_force_without_natures_is_signalled(make, data, is_signalled):
    read = Bench().upsert(DATA, make.lines(make.record(**data)), LINES)
    assert read.signalled("no_nature") == ({"natures_of_control": (1, ("01234567",))} if is_signalled else {})


@check_cases(
    ("codes", "is_signalled"),
    [
        ([SHARES, "ownership-of-shares-75-to-100-percent"], True),
        ([f"{SHARES}-as-trust", "ownership-of-shares-75-to-100-percent-as-trust"], True),
        ([SHARES, "ownership-of-shares-75-to-100-percent-as-trust"], False),
        ([SHARES, "voting-rights-75-to-100-percent", SHARES], False),
    ],
)
def test_two_bands_of_one_right_in_one_record_are_signalled(make, codes, is_signalled):
    read = Bench().upsert(DATA, make.lines(make.record(natures_of_control=codes)), LINES)
    assert {code for signal in read.signals if (code := signal.code)} == ({"several_bands"} if is_signalled else set())


def test_every_code_of_the_registry_maps(sources):
    text = (sources / "uk" / "enumerations" / "psc_descriptions.yml").read_text()
    short = text[text.index("short_description:") : text.index("statement_description:")]
    codes = re.findall(r"^\s+'([a-z0-9-]+)'\s*:", short, re.MULTILINE)
    assert len(codes) >= 86
    known = pl.DataFrame({"code": codes}).select("code", **natures_of_control.parse_natures(pl.col("code")))
    assert known.filter(~pl.col("known")).is_empty()
    for code in codes:
        found, row = bands(code)
        numbers = [int(number) for number in re.findall(r"\d+", code)]
        due = (numbers[0], [*numbers, 100][1]) if numbers else None
        if code.startswith("ownership-of-shares"):
            assert found == (*(due or ()), None, None)
            assert row["controls"] == []
        elif code.startswith("voting-rights"):
            assert found == (None, None, *(due or ()))
        else:
            assert found == (None, None, None, None)
            assert row["controls"] == [code]
        assert row["is_direct"] is (False if re.search(r"-as-(?:control-over-)?(?:trust|firm)", code) else None)


def test_pitfall_09_every_statement_of_the_registry_is_known_with_its_misspellings(make, bench, sources):
    text = (sources / "uk" / "enumerations" / "psc_descriptions.yml").read_text()
    part = text[text.index("statement_description:") : text.index("super_secure_description:")]
    codes = re.findall(r"^\s+'([a-z0-9-]+)'\s*:", part, re.MULTILINE)
    kind = "persons-with-significant-control-statement"
    read = bench.read(
        DATA, make.lines(*(make.record(kind=kind, statement=code, identity=code) for code in codes)), LINES
    )
    assert read.signals == []
    assert len(read.rows["uk_psc_statements"]) == len(codes) > 20
