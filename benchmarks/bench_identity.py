"""LEI records to the companies of a universe, against the barest thing that joins the same rows.

Ours: records as a golden copy writes them (numbers in several spellings), judged (check digits of LEI and number,
law, authority, category, persons), their company's id made, and joined to the companies of all markets. The peer: a
polars join of the same records, whose ids stand ready. A tenth of the world by default.
"""

from __future__ import annotations

import gc
import json
import resource
import time
from collections.abc import Callable
from statistics import median
from typing import Final

import polars as pl

from connectors.gleif.level1 import schema as level1_schema
from connectors.gleif.level1.dataset import select_market_rows
from connectors.gleif.market import company_id_of_record
from connectors.kit.staging import SignalCounter
from warehouse.schema.identifiers import company_id, iso_country

SECONDS: Final = 60.0  # for 2.7 M records and 12 M companies
GIB: Final = 6.0
MARKETS: Final = ("SE", "NO", "FI", "UK", "DK")
AUTHORITY: Final = {"SE": "RA000544", "NO": "RA000472", "FI": "RA000188", "UK": "RA000585", "DK": "RA000170"}
_WEIGHTS: Final = {"NO": (3, 2, 7, 6, 5, 4, 3, 2), "FI": (7, 9, 10, 5, 8, 4, 2), "DK": (2, 7, 6, 5, 4, 3, 2)}
_FIRST: Final = {"NO": 81_000_000, "FI": 1_000_000, "DK": 1_000_000, "SE": 556_000_000, "UK": 1_000_000}


def numbers(market: str, count: int) -> pl.Series:
    """So many numbers of a market whose check digits hold."""
    stem = pl.int_range(_FIRST[market], _FIRST[market] + count + count // 4)
    digits = stem.cast(pl.String)
    if market == "UK":
        return pl.select(digits.str.zfill(8).alias("n")).to_series().head(count)
    if market == "SE":
        doubled = [_digit(digits, place) * (2 - place % 2) for place in range(9)]
        total = pl.sum_horizontal(value // 10 + value % 10 for value in doubled)
        return pl.select((digits + ((10 - total % 10) % 10).cast(pl.String)).alias("n")).to_series().head(count)
    total = pl.sum_horizontal(_digit(digits, place) * weight for place, weight in enumerate(_WEIGHTS[market]))
    check = (11 - total % 11) % 11
    made = pl.select(n=digits + check.cast(pl.String), fits=check < 10).filter("fits")["n"]
    return made.head(count)


def _digit(text: pl.Expr, place: int) -> pl.Expr:
    return text.str.slice(place, 1).cast(pl.Int64)


def universe(companies: int) -> tuple[pl.DataFrame, dict[str, pl.Series]]:
    """Companies of all markets by id, and the numbers of each."""
    known = {market: numbers(market, companies // len(MARKETS)) for market in MARKETS}
    ids = [canonical(market, numbers) for market, numbers in known.items()]
    frame = pl.concat(ids).sample(fraction=1.0, shuffle=True, seed=1).to_frame("company_id")
    return frame.with_columns(name=pl.format("EXEMPEL {}", pl.int_range(pl.len()))), known


def canonical(market: str, numbers: pl.Series) -> pl.Series:
    """Ids of numbers that are written without separators."""
    written = numbers.str.slice(0, 7) + "-" + numbers.str.slice(7) if market == "FI" else numbers
    return (
        pl.lit(company_id(market, ""))
        .pipe(lambda prefix: pl.select((prefix + written).alias("company_id")))
        .to_series()
    )


def golden(count: int, known: dict[str, pl.Series]) -> pl.DataFrame:
    """Records of LEIs: all of the five markets, a number in two of three spellings."""
    parts = [_records(market, count // len(MARKETS), known[market], place) for place, market in enumerate(MARKETS)]
    return pl.concat(parts).sample(fraction=1.0, shuffle=True, seed=2)


def _records(market: str, count: int, known: pl.Series, place: int) -> pl.DataFrame:
    number = known.head(count)
    if number.len() < count:
        raise SystemExit(f"{market}: fewer companies than records")
    row = pl.int_range(count)
    spaced = number.str.slice(0, 3) + " " + number.str.slice(3, 3) + " " + number.str.slice(6)
    typed = pl.when(row % 3 == 0).then(spaced).otherwise(number) if market in ("NO", "SE", "DK") else number
    stem = pl.lit("969500") + pl.lit(str(place)) + row.cast(pl.String).str.zfill(11)
    values = {
        "lei": _with_check(stem),
        "legal_name": pl.format("EXEMPEL {}", row),
        "registered_at": pl.lit(AUTHORITY[market]),
        "registered_as": typed,
        "jurisdiction": pl.lit(iso_country(market)),
        "country": pl.lit(iso_country(market)),
        "category": pl.lit("GENERAL"),
        "legal_form": pl.lit("XJHM"),
        "entity_status": pl.lit("ACTIVE"),
        "registration_status": pl.when(row % 2 == 0).then(pl.lit("LAPSED")).otherwise(pl.lit("ISSUED")),
        "last_update": pl.lit("2026-01-01T00:00:00Z"),
    }
    return pl.select(**{column.name: values[column.name] for column in level1_schema.COLUMNS})


def _with_check(stem: pl.Expr) -> pl.Expr:
    """LEIs of stems of digits: 98 less the remainder of the number with two zeros behind it (ISO 7064)."""
    high = stem.str.slice(0, 9).cast(pl.Int64) % 97
    rest = (high * 10**9 + stem.str.slice(9, 9).cast(pl.Int64)) % 97 * 100 % 97
    return stem + (98 - rest).cast(pl.String).str.zfill(2)


def joined(golden_copy: pl.DataFrame, companies: pl.DataFrame) -> int:
    """Every market's records, judged, to the companies they are of."""
    parts = []
    for market in MARKETS:
        rows, refused = select_market_rows(market, golden_copy, SignalCounter("bench"))
        if refused.height:
            raise SystemExit(f"{refused.height} records refused")
        parts.append(rows.select("lei", company_id_of_record(market).alias("company_id")))
    return pl.concat(parts).join(companies, on="company_id").height


def bare(ready: pl.DataFrame, companies: pl.DataFrame) -> int:
    """The same rows, their ids made before."""
    return ready.join(companies, on="company_id").height


def run(leis: int = 270_000, companies: int = 1_200_000, rounds: int = 3) -> list[dict[str, object]]:
    """One result: medians over alternated rounds, and the most memory the process held."""
    known_companies, known = universe(companies)
    golden_copy = golden(leis, known)
    ready = pl.concat(
        pl.DataFrame(
            {
                "lei": golden_copy.filter(pl.col("jurisdiction") == iso_country(market))["lei"],
                "company_id": canonical(
                    market,
                    golden_copy.filter(pl.col("jurisdiction") == iso_country(market))["registered_as"].str.replace_all(
                        " ", ""
                    ),
                ),
            }
        )
        for market in MARKETS
    )
    due = leis // len(MARKETS) * len(MARKETS)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    ours: list[float] = []
    peer: list[float] = []
    for number in range(rounds):
        sides = [(ours, lambda: joined(golden_copy, known_companies)), (peer, lambda: bare(ready, known_companies))]
        for taken, work in sides if number % 2 else reversed(sides):
            taken.append(_seconds(work, due))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    share = leis / 2_700_000
    return [
        {
            "name": f"{leis:,} LEI records, judged, joined to {companies:,} companies, against a bare polars join",
            "ours_s": round(median(ours), 3),
            "peer_s": round(median(peer), 3),
            "ratio": round(median(mine / bare for mine, bare in zip(ours, peer, strict=True)), 2),
            "asked": f"<= {SECONDS * share:g} s, {GIB:g} GiB",
            "met": median(ours) <= SECONDS * share and peak / 2**20 <= GIB,
            "unit": "s",
            "peak_mb": peak // 1024,
            "before_mb": before // 1024,
        }
    ]


def _seconds(work: Callable[[], int], due: int) -> float:
    gc.collect()
    began = time.perf_counter()
    found = work()
    taken = time.perf_counter() - began
    if found != due:
        raise SystemExit(f"joined {found} records instead of {due}")
    return taken


if __name__ == "__main__":
    print(json.dumps(run(), indent=2))
