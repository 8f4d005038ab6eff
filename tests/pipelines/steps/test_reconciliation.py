"""What a market cannot account for: rules without data, undecided rows, statuses that nothing explains."""

from dataclasses import replace

import polars as pl
import pytest

from connectors import JURISDICTIONS
from connectors.contract.contribution import Contribution
from connectors.contract.dataset import AbsenceRule, Jurisdiction, LoadedRows
from connectors.contract.pieces import Signal
from connectors.kit.composition import compose_market
from pipelines.steps import reconciliation
from pipelines.steps.reconciliation import LoadedTables
from tests.pipelines import invented
from warehouse.history.reconciliation import StatusGroup
from warehouse.schema.market_state import UnexplainedStatus
from warehouse.schema.tables import BY_NAME

REGISTER, ACCOUNTS = (invented.MARKET.dataset(key) for key in ("fi.register", "fi.accounts"))
RULE = AbsenceRule(name="fi.x", reads=(ACCOUNTS,), undecided=pl.col("status_source").is_null())
MARKET = replace(
    invented.MARKET,
    absence_rules=(RULE,),
    registry_statuses={"open": "active", "closed": "dissolved"},
    field_precedence={"status": ("fi.register",)},
)


def test_rules_without_data_are_those_that_read_datasets_never_loaded() -> None:
    def without_data(*tables: str, in_part: tuple[str, ...] = ()) -> list[AbsenceRule]:
        return reconciliation.rules_without_data(market, LoadedTables(frozenset(tables), frozenset(in_part)))

    needy = replace(RULE, name="fi.y", needs_full=True)
    market = replace(MARKET, absence_rules=(RULE, needy))
    assert without_data("fi_register") == [RULE, needy]
    assert without_data("fi_accounts") == []
    assert without_data("fi_accounts", in_part=("fi_accounts",)) == [needy]
    assert without_data() == [RULE, needy]


def test_has_data_is_true_once_a_table_of_the_dataset_is_there() -> None:
    rows = pl.LazyFrame(schema={"number": pl.String})
    assert not RULE.has_data({})
    assert not RULE.has_data(dict.fromkeys(REGISTER.staged_tables, rows))
    there = dict.fromkeys(ACCOUNTS.staged_tables, rows)
    assert RULE.has_data(there), "also without a row"
    assert RULE.has_data(LoadedRows(there, in_part=there))
    assert not replace(RULE, needs_full=True).has_data(LoadedRows(there, in_part=there))


def test_undecided_signals_count_rows_with_examples() -> None:
    rows = pl.DataFrame({"company_id": ["firm:FI:2", "firm:FI:1", "firm:FI:3"], "status_source": [None, None, "x"]})
    assert list(reconciliation.undecided_signals([RULE], {"companies": rows})) == [
        Signal("fi.accounts", "rule_without_data", "fi.x", 2, ("firm:FI:1", "firm:FI:2"))
    ]
    assert list(reconciliation.undecided_signals([RULE], {"companies": rows.clear()})) == []


def groups(*rows: tuple[str, str, str | None, int]) -> list[StatusGroup]:
    return [StatusGroup(*row, (f"firm:FI:{place}",)) for place, row in enumerate(rows)]


@pytest.mark.parametrize(
    ("row", "is_found"),
    [
        (("OPEN", "dormant", "fi.register", 2), True),
        (("open", "dormant", None, 2), True),
        (("open", "active", "fi.register", 2), False),
        (("open", "dormant", "fi.accounts", 2), False),
        (("a word of no list", "dormant", "fi.register", 2), False),
    ],
)
def test_unexplained_status_is_another_meaning_without_another_source(
    row: tuple[str, str, str | None, int], is_found: bool
) -> None:
    assert bool(list(reconciliation.unexplained_statuses(MARKET, groups(row)))) is is_found


def test_unexplained_statuses_of_one_word_are_one_finding() -> None:
    found = list(
        reconciliation.unexplained_statuses(
            MARKET, groups(("open", "dormant", None, 2), ("open", "dormant", "fi.register", 3))
        )
    )
    assert found == [UnexplainedStatus("open", "active", "dormant", 5, ("firm:FI:0", "firm:FI:1"))]


def test_compose_market_refuses_a_rule_that_reads_an_undeclared_dataset() -> None:
    with pytest.raises(ValueError, match=r"FI: a rule reads fi\.accounts, which no contribution declares"):
        compose_market("FI", [Contribution(name="register", datasets=(REGISTER,), absence_rules=(RULE,))])


@pytest.mark.parametrize("market", JURISDICTIONS, ids=lambda market: market.code)
def test_absence_rules_of_every_market_name_columns_that_exist(market: Jurisdiction) -> None:

    assert bool(market.absence_rules) is bool(market.datasets), (
        "each market reads absence at least to tell which companies are listed"
    )
    for rule in market.absence_rules:
        assert rule.name.startswith(f"{market.code.lower()}.")
        assert set(rule.undecided.meta.root_names()) <= set(BY_NAME[rule.table].names)
    assert set(market.registry_statuses.values()) <= {"active", "dormant", "dissolved"}
    assert all(word == word.casefold() for word in market.registry_statuses)
