"""Finds accounts whose amounts are in another scale than those of the company's other accounts.

A document that lost its scale has the thousands it prints as whole units: its comparatives are the earlier accounts of
the same year, divided by a thousand or a million. Of the scales of a company's documents, as their comparatives chain
them, that of the most counts; of as many, the larger one, as a scale is forgotten and not added. Rows of the other
documents are left out and told, and later comparatives may speak for their years. Where no comparatives chain two
years, amounts that all jump by about a thousand or a million are told and stay: a company may have shrunk. Belongs
here: the rule, and the contribution of a market that applies it. Does not belong here: the scale that one document
states (`kit.xbrl`).
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Mapping
from datetime import date
from typing import Final

import polars as pl

from connectors.contract.contribution import SHARED, Contribution
from connectors.contract.dataset import MAPPING_SIGNALS, MAPPING_SIGNALS_SCHEMA, PresentRows, SharedTables
from warehouse.schema.tables import FINANCIALS_REPORTED

_MONEY: Final = ("revenue", "operating_result", "net_result", "equity", "total_assets")
_POWERS: Final = (3, 6)  # thousands and millions: units in which accounts are printed
_SEVERAL: Final = 2  # amounts that show a scale: one alone may be a restatement
_NEAR: Final = 0.5  # orders of magnitude from a unit
_CLEAR: Final = 100  # of a smaller amount, some rounding says nothing of the scale
_SERIES: Final = ["company_id", "is_consolidated"]
_YEAR: Final = [*_SERIES, "period_end", "currency"]
_FILING: Final = "filing_id"

Series = Mapping[str, list[tuple[str, int]]]  # document -> documents beside it, and by which power they are larger


def scale_contribution() -> Contribution:
    """Leaves out accounts in another scale, of all sources of a market."""
    return Contribution(
        name="scale of accounts",
        rank=SHARED,
        to_dependent_tables=_map_signals,
        table_rules={FINANCIALS_REPORTED.name: _without_slips},
    )


def _map_signals(shared: SharedTables, _present: PresentRows, _today: date) -> SharedTables:
    reported = shared.get(FINANCIALS_REPORTED.name)
    if reported is None:
        return {}
    slips = slipped_documents(reported)
    odd = reported.join(slips, on=_FILING, how="semi").unique(_FILING, maintain_order=True)
    jumps = _jumping_statements(reported.join(slips, on=_FILING, how="anti"))
    found = [
        rows.select(dataset="register", code=pl.lit(code), subject=pl.lit("amounts"), company_id="company_id")
        for code, rows in (("other_scale", odd), ("scale_jump", jumps))
    ]
    return {MAPPING_SIGNALS: pl.concat(found).cast(MAPPING_SIGNALS_SCHEMA)}


def _without_slips(reported: pl.DataFrame, _shared: SharedTables, _today: date) -> pl.DataFrame:
    slips = slipped_documents(reported)
    return reported if slips.is_empty() else reported.join(slips, on=_FILING, how="anti", maintain_order="left")


def slipped_documents(reported: pl.DataFrame) -> pl.DataFrame:
    """The ids of documents whose amounts are in another scale than those of the company's other documents.

    reported: FINANCIALS_REPORTED rows, all of their companies.
    """
    compared = _compared_years(reported)
    differing = compared.filter(pl.any_horizontal(pl.col(name) != pl.col(f"{name}_own") for name in _MONEY))
    odd = differing.filter(_power() != 0).select(_SERIES).unique()  # most comparatives repeat the accounts as they were
    pairs = compared.join(odd, on=_SERIES, how="semi")
    several = pairs.select(*_SERIES, _FILING, other=f"{_FILING}_own", power=_power()).unique()
    several = several.sort(*_SERIES, _FILING, "other")
    series: defaultdict[tuple[str, bool], defaultdict[str, list[tuple[str, int]]]]
    series = defaultdict(lambda: defaultdict(list))
    for company, is_group, filing, other, power in several.iter_rows():
        series[company, is_group][filing].append((other, power))
        series[company, is_group][other].append((filing, -power))
    found = [filing for one in series.values() for filing in _odd_documents(one)]
    return pl.DataFrame({_FILING: found}, schema={_FILING: pl.String}).unique(maintain_order=True)


def _compared_years(reported: pl.DataFrame) -> pl.DataFrame:
    """Years that a document repeats as comparatives, beside the accounts of another one whose own year it is."""
    own = reported.filter(~pl.col("is_comparative")).select(*_YEAR, _FILING, *_MONEY)
    repeated = reported.filter("is_comparative").select(*_YEAR, _FILING, *_MONEY)
    return repeated.join(own, on=_YEAR, suffix="_own").filter(pl.col(_FILING) != pl.col(f"{_FILING}_own"))


def _power() -> pl.Expr:
    """The power of ten by which all amounts that both state are larger in the own accounts; 0: none."""
    wide = [(pl.col(name).cast(pl.Int128), pl.col(f"{name}_own").cast(pl.Int128)) for name in _MONEY]
    stated = [((one != 0) & (other != 0)).fill_null(value=False) for one, other in wide]
    enough = pl.sum_horizontal(stated) >= _SEVERAL
    found = pl.lit(0, pl.Int64)
    for power in (*_POWERS, *(-power for power in _POWERS)):
        unit = 10 ** abs(power)
        ordered = wide if power > 0 else [(other, one) for one, other in wide]
        fits = pl.all_horizontal(
            ~is_stated | ((small * unit - large).abs() < unit)
            for (small, large), is_stated in zip(ordered, stated, strict=True)
        )
        clear = pl.any_horizontal(small.abs() >= _CLEAR for small, _ in ordered).fill_null(value=False)
        found = pl.when(enough & clear & fits).then(pl.lit(power, pl.Int64)).otherwise(found)
    return found


def _jumping_statements(reported: pl.DataFrame) -> pl.DataFrame:
    """Statements whose amounts are all about a thousand or a million times those of the year before, or the reverse."""
    series = [*_SERIES, "currency"]
    own = reported.filter(~pl.col("is_comparative")).sort(*series, "period_end")
    before = [f"{name}_before" for name in _MONEY]
    earlier = own.select(*series, *_MONEY).shift(1)  # the line above: of the same series where its names are the same
    beside = own.hstack(earlier.rename(lambda name: f"{name}_before"))
    beside = beside.filter(pl.all_horizontal(pl.col(name).eq_missing(pl.col(f"{name}_before")) for name in series))
    ratios = [
        (pl.col(name).abs() / pl.col(past).abs()).log10().alias(name) for name, past in zip(_MONEY, before, strict=True)
    ]
    jumps = beside.select("register", "company_id", *ratios)
    stated = [pl.col(name).is_finite().fill_null(value=False) for name in _MONEY]
    near = [
        pl.all_horizontal(
            ~is_stated | ((pl.col(name) - power).abs() < _NEAR) for name, is_stated in zip(_MONEY, stated, strict=True)
        )
        for power in (*_POWERS, *(-power for power in _POWERS))
    ]
    return jumps.filter(pl.sum_horizontal(stated) > _SEVERAL, pl.any_horizontal(near))


def _odd_documents(series: Series) -> Iterator[str]:
    """The documents of a series whose scale is not that of the most, or of as many the larger one."""
    left = dict.fromkeys(sorted(series))
    while left:
        scales = _chained_scales(series, next(iter(left)))
        counts = Counter(scales.values())
        right = max(counts, key=lambda scale: (counts[scale], scale))
        yield from (filing for filing, scale in scales.items() if scale != right)
        left = dict.fromkeys(filing for filing in left if filing not in scales)


def _chained_scales(series: Series, first: str) -> dict[str, int]:
    """The scale of every document that comparatives chain to one, as a power of ten of that one's."""
    scales = {first: 0}
    waiting = deque([first])
    while waiting:
        filing = waiting.popleft()
        for other, power in series[filing]:
            if other not in scales:
                scales[other] = scales[filing] + power
                waiting.append(other)
    return scales
