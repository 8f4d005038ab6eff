"""Texts of notifications that repeat one thing without end are read or refused in linear time."""

from __future__ import annotations

from contextlib import suppress

import pytest

from connectors.nasdaq.major_holdings.form import parse_table_notifications
from connectors.nasdaq.major_holdings.form_row import NotFlaggingFormError
from connectors.nasdaq.major_holdings.sentences import parse_notification
from connectors.nasdaq.major_holdings.text import tables_to_cells
from tests.fuzz.case import Limits
from tests.fuzz.held import within
from tests.tables import check_cases

ROW = "Osuus liputusrajan saavuttamisen tai rikkoutumisen jälkeen | 5,04 % | 0,30 % | 5,34 % |"
BEFORE = "Edellisessä ilmoituksessa ilmoitettu osuus | 4,04 % | 0,30 % | 4,34 % |"
LONG = 100_000  # characters


@pytest.mark.slow
@pytest.mark.parametrize("place", ["before", "between", "behind"])
@check_cases(
    "repeated",
    [
        "\n", "\n ", " ", "|\n", "| | ", "§5", "Section 5 ", "a ", "A: ", "A:\n", "(1", "(business code 1234567-8 ",
        "Total positions of a and its a ", "'s holding in a ", " has notified a ", "omistus yhtiössä a ", "5 % ", "1.",
    ],
)  # fmt: skip
def test_what_is_repeated_without_end_costs_no_more_than_its_length(repeated: str, place: str) -> None:
    more = repeated * (LONG // len(repeated))
    parts = {"before": (more, ROW, BEFORE), "between": (ROW, more, BEFORE), "behind": (ROW, BEFORE, more)}
    with within(Limits(2.0)), suppress(NotFlaggingFormError):
        parse_notification(tables_to_cells("\n".join(parts[place])))


@pytest.mark.parametrize("between", ["\n", "\n\n", " |\n| |\n", "\n - \n"])
def test_the_details_end_a_row_whatever_stands_before_them(between: str) -> None:
    text = f"{ROW.removesuffix(' |')}{between}A: Osakkeet 7,77 %\nKari Esimerkki on ilmoittanut"
    found = parse_notification(tables_to_cells(text))
    assert found.now.total is not None
    assert str(found.now.total.shares) == str(
        parse_notification(tables_to_cells(f"{ROW}\nKari Esimerkki on ilmoittanut")).now.total.shares
    )


@check_cases("repeated", ["\n", "|\n", " | ", "a ", "a", "5.6.2024 ", "yli 5 % "])
def test_a_line_of_a_list_that_goes_on_without_end_costs_no_more_than_its_length(repeated: str) -> None:
    head = "JulkaisupäiväTapahtumapäiväOsakkeenomistajaKynnysSuora omistus %Kokonaisomistus %\n5.6.202419.4.2024"
    with within(Limits(2.0)):
        parse_table_notifications(tables_to_cells(head + repeated * (LONG // len(repeated))))
