"""Amounts in another scale than a filer's others: thousands that were tagged as dollars are no restatement."""

from connectors.contract.dataset import MAPPING_SIGNALS
from connectors.us.financials.amount_scales import is_other_scale, nearer_amount
from connectors.us.financials.latest_values import OTHER_SCALE
from tests.connectors.us.fact_files import Fact, amounts, body, read, shared
from tests.tables import check_cases

YEAR, LAST_YEAR = ("2023-01-01", "2023-12-31"), ("2022-01-01", "2022-12-31")
QUARTERS = (("2023-01-01", "2023-03-31"), ("2023-04-01", "2023-06-30"), ("2023-07-01", "2023-09-30"))
TEN_K, AMENDED, NEXT_K = (
    ("24001", "10-K", "2024-02-20"),
    ("24002", "10-K/A", "2024-06-01"),
    ("25001", "10-K", "2025-02-20"),
)
LAST_K = ("23001", "10-K", "2023-02-20")


def net(span: tuple[str, str], value: int, filing: tuple[str, str, str]) -> Fact:
    return ("NetIncomeLoss", *span, value, *filing)


def told(facts: list[Fact]) -> set[str]:
    """Figures of which the run says that they are in another scale."""
    rows = shared(read(body(facts)))[MAPPING_SIGNALS]
    return set(rows.filter(rows["code"] == OTHER_SCALE)["subject"])


@check_cases(
    ("one", "other", "due"),
    [
        (319_066_000, 319_065, True),
        (319_065, 319_066_000, True),
        (-319_066_000, -319_066, True),
        (319_066_000, -319_066, False),
        (319_066_000_000, 319_066, True),
        (319_066_000, 319_966, False),
        (319_066_000, 319_066_000, False),
        (5_000, 5, False),  # too few digits to tell
        (0, 0, False),
    ],
)
def test_is_other_scale_by_digits(one: int, other: int, *, due: bool) -> None:
    assert is_other_scale(one, other) is due


def test_nearer_amount_is_in_the_scale_of_the_others_else_the_larger() -> None:
    assert nearer_amount(319_066, 319_066_000, [280_000_000, 5, 300_000_000]) == 319_066_000
    assert nearer_amount(319_066, 319_066_000, [280_000, 300_000]) == 319_066
    assert nearer_amount(319_066, 319_066_000, []) == 319_066_000


def test_amount_of_a_later_report_in_thousands_is_no_restatement() -> None:
    for later in (AMENDED, NEXT_K):
        for earlier in ([], [net(LAST_YEAR, 280_111_000, LAST_K)]):
            facts = [*earlier, net(YEAR, 319_066_000, TEN_K), net(YEAR, 319_066, later)]
            assert amounts(facts, "net_result")[YEAR] == 319_066_000
            assert told(facts) == {"net_result"}


def test_amount_that_an_amendment_puts_right_is_a_restatement() -> None:
    small = [net(YEAR, 319_066, TEN_K), net(YEAR, 319_066_000, AMENDED)]
    large = [net(LAST_YEAR, 280_111_000, LAST_K), net(YEAR, 319_066_000_000, TEN_K), net(YEAR, 319_066_000, AMENDED)]
    for facts in (small, large):
        assert amounts(facts, "net_result")[YEAR] == 319_066_000
        assert told(facts) == {"net_result"}


def test_balance_of_a_later_report_in_thousands_is_no_restatement() -> None:
    assets = [
        ("Assets", "", YEAR[1], value, *filing) for value, filing in ((5_000_321_000, TEN_K), (5_000_321, NEXT_K))
    ]
    facts = [net(YEAR, 319_066_000, TEN_K), *assets]
    assert amounts(facts, "total_assets")[YEAR] == 5_000_321_000
    assert told(facts) == {"total_assets"}


def quarters(*values: int) -> list[Fact]:
    reports = [(f"23{place}00", "10-Q", f"2023-1{place}-20") for place in range(len(values))]
    return [net(span, value, report) for span, value, report in zip(QUARTERS, values, reports, strict=False)]


def test_quarter_that_lies_a_thousand_times_off_its_neighbours_is_a_signal() -> None:
    for values in (
        (100_111_000, 99_333_000, 101_222),
        (100_111_000, 101_222, 99_333_000),
        (101_222_000, 99_333, 98_444),
    ):
        assert told(quarters(*values)) == {"net_result"}
    assert told(quarters(100_111_000, 101_222)) == set()  # which of the two is off is not to be told
    assert told(quarters(100_111_000, 99_333_000, 11_222_000)) == set()


def test_year_that_a_proxy_alone_gives_in_thousands_is_a_signal() -> None:
    earlier = [net((f"{year}-01-01", f"{year}-12-31"), 300_000_111, LAST_K) for year in (2020, 2021)]
    proxy = net(LAST_YEAR, 319_065, ("23009", "DEF 14A", "2023-04-07"))
    assert told([*earlier, proxy]) == {"net_result"}


def test_sums_in_two_scales_give_no_quarter() -> None:
    nine = ("2023-01-01", "2023-09-30")
    year, fourth = net(YEAR, 400_123_000, TEN_K), ("2023-10-01", "2023-12-31")
    thousands = [net(nine, 300_666, ("23300", "10-Q", "2023-11-05")), year]
    assert fourth not in amounts(thousands, "net_result")
    assert told(thousands) == {"net_result"}
    first, half = QUARTERS[0], ("2023-01-01", "2023-06-30")
    begun = [
        net(first, 100_111_000, ("23100", "10-Q", "2023-05-05")),
        net(half, 201_333, ("23200", "10-Q", "2023-08-05")),
    ]
    assert QUARTERS[1] not in amounts(begun, "net_result")
    units = [net(nine, 300_666_000, ("23300", "10-Q", "2023-11-05")), year]
    assert amounts(units, "net_result")[fourth] == 99_457_000
    assert told(units) == set()
