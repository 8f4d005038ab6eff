"""Whole columns at speed: repeated keys, cells that say nothing, names as they are compared."""

from collections import Counter
from datetime import date

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.kit.columns.parallel import map_slices_parallel
from connectors.se.bulk import statements
from connectors.se.bulk.ordinals import RepeatCounter
from connectors.se.bulk.statements import ADDRESS, with_address, with_names
from connectors.se.issuer_links import COMPANY_NAME, core_names
from connectors.se.profile import postcodes
from connectors.se.text_columns import null_if_empty, repair_cells
from tests.connectors.se.bulk_files import BULK, ONE, TWO, batches, bulk, organisation, rows
from tests.tables import check_cases

_KEYS = st.lists(st.tuples(st.integers(5560000000, 5560000006), st.sampled_from([None, "", "1", "2"])))


@given(st.lists(_KEYS, max_size=5))
def test_the_nth_row_of_a_key_is_the_nth_through_all_chunks(chunks: list[list[tuple[int, str | None]]]) -> None:
    repeats, met = RepeatCounter(), Counter[tuple[int, str]]()
    for chunk in chunks:
        number = pl.Series([str(number) for number, _ in chunk], dtype=pl.String)
        serial = pl.Series([serial for _, serial in chunk], dtype=pl.String)
        due: list[int] = []
        for key, part in chunk:
            met[key, part or ""] += 1
            due.append(met[key, part or ""])
        assert repeats.ordinals(number, serial).to_list() == due


@pytest.mark.parametrize("again", [5560000020, 5560000040])
def test_the_least_and_the_greatest_number_of_a_chunk_are_known_again(again: int) -> None:
    repeats = RepeatCounter()
    for numbers in ([5560000020, 5560000030, 5560000040], [5560000060, 5560000070]):
        assert ordinals(repeats, numbers) == [1] * len(numbers)
    assert ordinals(repeats, [again]) == [2]
    assert ordinals(repeats, [5560000010, again, 5560000050]) == [1, 3, 1]
    assert ordinals(repeats, []) == []
    assert ordinals(repeats, [5560000070, 5560000090]) == [2, 1]


def ordinals(repeats: RepeatCounter, numbers: list[int]) -> list[int]:
    number = pl.Series([str(number) for number in numbers], dtype=pl.String)
    return repeats.ordinals(number, pl.Series([""] * len(numbers), dtype=pl.String)).to_list()


_BITS = (
    *("$", "|", " ", "A", "Ö b", "\n", "-ORGNAM", "FORETAGSNAMN", "SARS_FORNAMN", "null", "2001-05-10", "2001-13-45"),
    *("$FORETAGSNAMN-ORGNAM$2001-05-10", "$NAMN-ORGNAM$1999-01-02", "$FORNAMN_FRSPRAK-ORGNAM$2020-02-02"),
    *("$NAMN-ORGNAM$2001-02-30", "$SARS_FORNAMN-ORGNAM$2001-01-01$x"),
)


@given(st.lists(st.lists(st.sampled_from(_BITS), max_size=6).map("".join), min_size=1))
def test_an_element_that_ends_as_the_bulk_does_says_what_the_pattern_finds(elements: list[str]) -> None:
    rows = pl.DataFrame({statements.NAMES: elements}).with_row_index("_row")
    found, due = (statements._split_elements(rows).drop("_row"), statements._split_by_pattern(rows))
    assert found.to_dicts() == due.to_dicts()


def test_cells_that_say_nothing_are_null() -> None:
    found = null_if_empty(pl.DataFrame({"a": [" x ", "", "nUlL", None, "nulls", "  "], "b": ["y"] * 6}), ["a", "b"])
    assert found["a"].to_list() == ["x", None, None, None, "nulls", None]
    assert found["b"].to_list() == ["y"] * 6


@check_cases("height", [0, 1, 19_999, 20_001, 50_003])
def test_slices_come_back_whole_and_in_order(height: int) -> None:
    rows = pl.select(n=pl.int_range(height))
    assert map_slices_parallel(rows, lambda some: some.with_columns(pl.col("n") + 1))["n"].to_list() == list(
        range(1, height + 1)
    )


def test_only_odd_cells_are_mended() -> None:
    column = pl.Series(["a", "b", None])
    assert repair_cells(column, column == "b", lambda some: some + "!").to_list() == ["a", "b!", None]


@check_cases(
    ("written", "code"),
    [("11122", "11122"), ("111 22", "11122"), ("SE-111 22", "11122"), ("+1122", None), ("1112", None), ("", None)],
)
def test_post_codes_in_any_spelling(written: str, code: str | None) -> None:
    assert postcodes.clean_postcodes(pl.Series([written, None])).to_list() == [code, None]


@check_cases(
    ("address", "parts"),
    [
        ("Gatan 1$c/o X$LUND$22100$SE-LAND", ["Gatan 1", "c/o X", "LUND", "22100", "SE"]),
        ("Kr $ 1$$LUND$22100$SE-LAND", ["Kr $ 1", None, "LUND", "22100", "SE"]),
        ("null$NULL$LUND$$NO-LAND", [None, None, "LUND", None, "NO"]),
        ("LUND$22100", [None] * 5),
        (None, [None] * 5),
    ],
)
def test_parts_of_an_address(address: str | None, parts: list[str | None]) -> None:
    found = with_address(pl.DataFrame({"a": [address]}, schema={"a": pl.String}), "a")
    assert list(found.select(ADDRESS).row(0)) == parts


def test_names_of_rows_stand_in_their_rows() -> None:
    texts = [
        "Ett$FORETAGSNAMN-ORGNAM$2001-01-01",
        "A$NAMN-ORGNAM$null|B$FORETAGSNAMN-ORGNAM$2002-01-01",
        "x",
        None,
        "$FORETAGSNAMN-ORGNAM$2001-01-01",
        " $FORETAGSNAMN-ORGNAM$2001-01-01",
        " $FORETAGSNAMN-ORGNAM$2003-01-01| C $NAMN-ORGNAM$null",
        " Två $FORETAGSNAMN-ORGNAM$2001-01-01",
    ]
    found = with_names(pl.DataFrame({"organisationsnamn": texts}))
    assert found["_name"].to_list() == ["Ett", "B", None, None, None, None, "C", "Två"]
    assert [found["_name_date"][place] for place in (0, 1, 6)] == [date(2001, 1, 1), date(2002, 1, 1), None]


@pytest.mark.parametrize("name", ["Exempel AB", "AB Exempel (publ)", "EXEMPEL, Aktiebolag", "exempel"])
def test_pitfall_9_names_are_compared_without_forms_and_signs(name: str) -> None:
    assert core_names(pl.Series([name, "AB", None])).to_list() == ["exempel", None, None]


def test_only_limited_companies_that_exist_answer_to_a_name() -> None:
    gone = {"avregistreringsdatum": "2020-01-01"}
    found = rows(
        batches(
            BULK,
            bulk(
                organisation(ONE), organisation(TWO, **gone), organisation("5560000003", organisationsform="HB-ORGFO")
            ),
        )
    )
    assert COMPANY_NAME.of(found).to_list() == ["exempel", None, None]
