"""Maps natures of control, the registry's codes, to bands of shares and votes (docs/formats/uk.md 4.1).

A code is `<right>[-<band>][-as-<capacity>][-<regime>]`. Bands are kept as (lower exclusive, upper inclusive]; no
exact value is derived. Codes without a band of shares or votes are kept unchanged as control.
"""

from __future__ import annotations

from typing import Final

import polars as pl

SHARES: Final = "ownership-of-shares"
VOTES: Final = "voting-rights"
GRAMMAR: Final = (
    r"^(?:(?:ownership-of-shares|voting-rights|(?:part-)?right-to-share-surplus-assets)"
    r"-(?:\d{1,2}-to-(?:\d{1,2}|100)|more-than-\d{1,2})-percent"
    r"|right-to-appoint-and-remove-(?:directors|members|person)"
    r"|significant-influence-or-control"
    r"|registered-owner-as-nominee-[a-z]+(?:-[a-z]+)*?)"
    r"(?:-as-(?:control-over-)?(?:trust|firm))?"
    r"(?:-limited-liability-partnership|-registered-overseas-entity)?$"
)
_CAPACITY: Final = r"-as-(?:control-over-)?(?:trust|firm)"
_SEPARATOR: Final = "|"
_RANGE: Final = r"-(\d{1,3})-to-(\d{1,3})-percent"
PERCENT: Final = pl.Decimal(9, 4)
# The bands that the register publishes; another one is read as written, and signalled
_PUBLISHED_BAND: Final = r"-(?:25-to-50|50-to-75|75-to-100|more-than-25)-percent"
_OTHER_BAND: Final = r"-percent"
BANDS: Final = ("pct_min", "pct_max", "votes_min", "votes_max", "controls", "is_direct", "is_unread")


def is_published_nature(codes: pl.Expr) -> pl.Expr:
    """True if a code is one that the register publishes: in the grammar, and with a published band or none."""
    return _is_readable_nature(codes) & (codes.str.contains(_PUBLISHED_BAND) | ~codes.str.contains(_OTHER_BAND))


def _is_readable_nature(codes: pl.Expr) -> pl.Expr:
    """True if a code is in the grammar, and its band is one: «75 to 25 percent» is none."""
    low, high = codes.str.extract(_RANGE, 1).cast(PERCENT), codes.str.extract(_RANGE, 2).cast(PERCENT)
    return codes.str.contains(GRAMMAR) & (low < high).fill_null(value=True)


def parse_natures(codes: pl.Expr) -> dict[str, pl.Expr]:
    """Parts of single codes; a code outside the grammar has neither right nor band."""
    known = _is_readable_nature(codes)
    written = pl.when(known).then(codes)  # a number in another code may be no percentage
    upper = written.str.extract(_RANGE, 2)
    lower = pl.coalesce(written.str.extract(_RANGE, 1), written.str.extract(r"more-than-(\d+)-percent"))
    return {
        "known": known,
        "right": written.str.extract(f"^({SHARES}|{VOTES})-"),
        "lower": lower.cast(PERCENT),
        # «more than 25 percent» of an overseas entity has no upper bound
        "upper": pl.coalesce(upper, pl.lit("100")).cast(PERCENT),
        "has_capacity": known & codes.str.contains(_CAPACITY),
    }


def has_several_bands(natures: pl.Series) -> pl.Series:
    """Whether each list of codes states two bands of one right in one capacity: at most one of them is true."""
    joined = natures.list.join(_SEPARATOR)
    single = joined.unique().to_frame("_natures").with_columns(code=pl.col("_natures").str.split(_SEPARATOR))
    parts = single.explode("code").with_columns(**parse_natures(pl.col("code"))).filter(pl.col("right").is_not_null())
    capacity = pl.col("code").str.extract(_CAPACITY, 0).fill_null("")
    found = parts.group_by("_natures", "right", capacity.alias("_capacity")).agg(pl.col("lower").n_unique())
    return joined.is_in(found.filter(pl.col("lower") > 1)["_natures"].unique().implode())


def with_ownership_bands(rows: pl.DataFrame) -> pl.DataFrame:
    """Adds the BANDS of `natures_of_control`. is_unread: there is no code, or one that is unknown.

    Millions of rows have a few thousand combinations of codes: each is computed once.
    """
    keyed = rows.with_columns(pl.col("natures_of_control").list.join(_SEPARATOR).alias("_natures"))
    combinations = keyed.select("_natures").unique()
    return keyed.join(_bands_by_combination(combinations), on="_natures", how="left").drop("_natures")


def _bands_by_combination(combinations: pl.DataFrame) -> pl.DataFrame:
    single = (
        combinations.with_columns(code=pl.col("_natures").str.split(_SEPARATOR))
        .explode("code")
        .with_columns(**parse_natures(pl.col("code")))
    )
    in_band = single.filter(pl.col("right").is_not_null())
    # Direct holdings rank before those through a trust or firm: the latter repeat along a chain.
    best = in_band.sort("_natures", "right", "has_capacity", pl.col("lower"), descending=[False, False, False, True])
    firsts = best.unique(["_natures", "right"], keep="first", maintain_order=True)
    shares = firsts.filter(pl.col("right") == SHARES).select("_natures", pct_min="lower", pct_max="upper")
    votes = firsts.filter(pl.col("right") == VOTES).select("_natures", votes_min="lower", votes_max="upper")
    controls = (
        single.filter(pl.col("right").is_null() & (pl.col("code") != ""))
        .group_by("_natures")
        .agg(controls=pl.col("code").unique().sort())
    )
    return (
        combinations.join(shares, on="_natures", how="left")
        .join(votes, on="_natures", how="left")
        .join(controls, on="_natures", how="left")
        .join(_directness_by_combination(single), on="_natures", how="left")
        .with_columns(pl.col("controls").fill_null(pl.lit([], dtype=pl.List(pl.String))))
    )


def _directness_by_combination(single: pl.DataFrame) -> pl.DataFrame:
    """False if every code is held through a trust or firm.

    Otherwise null, never true: the statutory wording of the plain codes is «directly or indirectly».
    """
    return single.group_by("_natures").agg(
        is_direct=pl.when(pl.col("has_capacity").fill_null(value=False).all()).then(statement=False),
        is_unread=~pl.col("known").all(),
    )
