"""Columns of names and ids are folded and numbered as single values are."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from name_matching.folding import fold_text
from name_matching.name_columns import fold_texts
from warehouse.serving import search_table, sort_keys

_signs = st.sampled_from("aZ09 .'/_-&\n\0åØæßÿ×ªıİﬁ™株\U00020000̈")
_names = st.lists(st.text(_signs, max_size=12) | st.text(max_size=6), max_size=8)
_numbers = st.lists(
    st.builds("firm:{}:{}".format, st.sampled_from(["NO", "UK", "US", "SE"]), st.text(max_size=14)), max_size=8
)


@example(["Ørsted A/S", "J.P. Morgan & Co.", "BYGG AS", "BYGG AS\n", "İş Bankası", ""])
@given(_names)
def test_names(names: list[str]) -> None:
    given_names = pl.Series(names, dtype=pl.String)
    words = fold_texts(given_names)
    assert words.to_list() == [fold_text(name) for name in names]
    assert given_names.to_list() == names
    assert search_table.name_sort_keys(words).to_list() == [sort_keys.name_sort_key(word) for word in words]


@example(["firm:NO:", "firm:NO:~1", "firm:UK:SC-123456789", "firm:UK:a:b"])
@given(_numbers)
def test_ids(company_ids: list[str]) -> None:
    found = search_table.id_sort_keys(pl.Series(company_ids, dtype=pl.String))
    assert found.to_list() == [sort_keys.id_sort_key(company_id) for company_id in company_ids]


def test_what_is_no_company_id_is_refused() -> None:
    with pytest.raises(pl.exceptions.InvalidOperationError):
        search_table.id_sort_keys(pl.Series(["firm:XX:1"]))
