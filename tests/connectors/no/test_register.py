"""Check digits, the declaration, and the benchmark's own rows."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from stdnum.no import orgnr

from connectors.no import NORWAY, code_lists
from connectors.no.register import has_check_digit


@given(st.lists(st.integers(0, 999_999_999).map("{:09}".format), min_size=1, max_size=50))
def test_check_digits_are_those_of_the_rule(numbers: list[str]) -> None:
    found = pl.DataFrame({"n": numbers}).select(has_check_digit(pl.col("n"))).to_series().to_list()
    assert found == [orgnr.is_valid(number) for number in numbers]


def test_keys_are_unique_and_so_are_tables_but_those_of_two_doors() -> None:
    keys = [dataset.key for dataset in NORWAY.datasets]
    assert len(set(keys)) == len(keys)
    assert NORWAY.dataset("no.enhet").staged_tables is NORWAY.dataset("no.enheter").staged_tables
    acts = {"no.tilsyn", "no.esma"}
    assert {name for dataset in NORWAY.datasets if dataset.key in acts for name in dataset.staged_tables} == {"no_acts"}
    others = [dataset for dataset in NORWAY.datasets if dataset.key not in {"no.enhet", *acts}]
    tables = [name for dataset in others for name in dataset.staged_tables]
    assert len(set(tables)) == len(tables)
    assert keys.index("no.enheter") < keys.index("no.enhet"), "of one instant the answer holds, not the bulk"
    assert all(name == table.name for dataset in NORWAY.datasets for name, table in dataset.staged_tables.items())


def test_code_lists_agree_with_each_other() -> None:
    assert set(code_lists.NOT_A_COMPANY) <= code_lists.LEGAL_FORMS.codes
    assert code_lists.COUNTIES.get("03") == "Oslo"


def test_the_benchmark_runs_and_its_hand_written_row_is_whole() -> None:
    bench_no_csv = pytest.importorskip("benchmarks.bench_no_csv")
    (result,) = bench_no_csv.run(rows=200, rounds=1)
    assert {"name", "ours_s", "peer_s", "ratio", "asked", "unit", "peak_mb"} <= result.keys()
    header, (record,) = bench_no_csv.written()
    assert len(header) == len(record) == 54
