"""Rows of GLEIF's files: each is either sound or a reject."""

import polars as pl

from connectors.gleif.sound_rows import split_sound


def test_split_sound_of_a_row_that_cannot_be_judged_rejects_it() -> None:
    rows = pl.DataFrame({"lei": ["A", "B", None], "isin": ["1", "2", "3"]})
    sound, rejects = split_sound(rows, pl.col("lei") == "A", "no LEI", "isin", "lei")
    assert sound["isin"].to_list() == ["1"]
    assert rejects["record"].to_list() == ["2", "3"]
