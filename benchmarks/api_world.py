"""Invented companies for the API benchmarks: a million profiles of five markets as shared rows.

Words are Zipf-distributed, so that a handful stands in every tenth name and most stand in one or two. Everything
follows from the index of a company: any stretch can be made by itself. Does not belong here: the words
(`api_words`), publishing and keeping the world (`api_release`), or measuring.
"""

import random
from collections.abc import Iterator
from datetime import UTC, date, datetime
from itertools import product

import polars as pl

from benchmarks.api_words import LANGUAGES, SHARES, SYLLABLES, Language
from warehouse import schema_render
from warehouse.schema.tables import COMPANIES, FINANCIALS

AT = datetime(2026, 11, 20, tzinfo=UTC)
CHUNK = 500_000
_TAIL = 300_000  # words of one language beyond the common ones, at most
_HEAD = 12.0  # the larger, the less the first words of a list prevail
_TWO_64 = float(1 << 64)
_BOUNDS = {"UK": 10_000_001, "NO": 800_000_001, "FI": 1_000_001, "US": 1, "SE": 5_560_000_001}


def sizes(count: int) -> dict[str, int]:
    """Companies by market."""
    return {market: max(1, int(count * share)) for market, share in SHARES.items()}


def written(count: int) -> str:
    """A number of companies as people say it."""
    return f"{count / 1_000_000:.3g} M" if count >= 1_000_000 else f"{count:,}"


def chunks(market: str, count: int, whole: int) -> Iterator[tuple[pl.DataFrame, pl.DataFrame]]:
    """Companies and their newest accounts, some at a time. `whole`: companies of all markets together."""
    words = _Words(market, min(_TAIL, max(2_000, whole // 8)))
    for start in range(0, count, CHUNK):
        drawn = _drawn(market, words, start, min(CHUNK, count - start))
        yield _companies(market, drawn), _financials(market, drawn)


class _Words:
    """The words of one market, and chance to draw them by."""

    def __init__(self, market: str, tail: int) -> None:
        language = LANGUAGES[market]
        chance = random.Random(market)
        compounds = ["".join(pair) for pair in product(language.stems, language.ends)]
        brands = {"".join(chance.choices(SYLLABLES, k=chance.choice((2, 3, 3, 4)))) for _ in range(tail)}
        rare = [*compounds, *sorted(brands)]
        chance.shuffle(rare)
        self.language = language
        self.seed = 1000 * (1 + list(LANGUAGES).index(market))
        self.names = [_written(language, word) for word in rare[:tail]]

    def uniform(self, place: int) -> pl.Expr:
        """From 0 to 1 by the company's index, another one for each place it is used at."""
        return pl.col("index").hash(self.seed + place) / _TWO_64

    def zipf(self, values: tuple[str, ...] | list[str], place: int) -> pl.Expr:
        """A value, the earlier ones of the list far oftener."""
        ratio = (len(values) + _HEAD) / _HEAD
        rank = (ratio ** self.uniform(place) * _HEAD - _HEAD).cast(pl.UInt32).clip(0, len(values) - 1)
        return pl.lit(pl.Series(values)).gather(rank)

    def even(self, values: tuple[str, ...] | list[str], place: int) -> pl.Expr:
        """A value, all alike."""
        return pl.lit(pl.Series(values)).gather((self.uniform(place) * len(values)).cast(pl.UInt32))


def _written(language: Language, word: str) -> str:
    return word.upper() if language.is_upper else word.capitalize()


def _drawn(market: str, words: _Words, start: int, count: int) -> pl.DataFrame:
    """What is drawn for each company: index, name, place, industry, size, dates, status, accounts."""
    language, uniform = words.language, words.uniform
    codes = _industries(language.scheme)
    frame = pl.select(index=pl.int_range(start, start + count, dtype=pl.UInt64))
    return frame.with_columns(
        name=_name(words),
        org_number=_number(market),
        industry=words.zipf(codes, 20),
        town=words.zipf([*language.places, *words.names[:300]], 21),
        county=words.zipf(language.counties, 22),
        employees=pl.when(uniform(23) < 0.65).then((10 ** (4.6 * uniform(24) ** 4) - 1).cast(pl.Int64)),
        age=(uniform(25) ** 2 * 27_000).cast(pl.Int64),
        status=pl.when(uniform(26) < 0.70)
        .then(pl.lit("active"))
        .when(uniform(26) < 0.76)
        .then(pl.lit("dormant"))
        .otherwise(pl.lit("dissolved")),
        is_listed=uniform(27) < 0.001,
        revenue=pl.when(uniform(28) < 0.45).then((10 ** (3 + 7 * uniform(29) ** 1.5)).cast(pl.Int64)),
        currency=pl.when(uniform(30) < 0.97).then(pl.lit(language.currency)).otherwise(pl.lit("EUR")),
        year=(2025 - 3 * uniform(31) ** 3).cast(pl.Int64),
    )


def _name(words: _Words) -> pl.Expr:
    """Six ways companies are named, each followed by a legal form nine times in ten."""
    language = words.language
    trades = [_written(language, word) for word in language.trades]
    people = [_written(language, word) for word in language.surnames]
    first = [_written(language, word) for word in language.forenames]
    towns = [_written(language, word) for word in language.places]
    trade, second = words.zipf(trades, 1), words.zipf(trades, 2)
    own, other = words.zipf(words.names, 3), words.zipf(words.names, 4)
    number = (words.uniform(5) ** 3 * 9_000 + 1).cast(pl.Int64)
    initials = words.even(list("ABCDEFGHJKLMNPRSTVW"), 6)
    kinds = (
        (0.30, pl.format("{} {}", own, trade)),
        (0.44, pl.format("{} {} {}", own, trade, second)),
        (0.58, pl.format("{} {}", words.zipf(people, 7), trade)),
        (0.68, pl.format("{} {} {}", words.zipf(first, 8), words.zipf(people, 7), trade)),
        (0.78, pl.format("{} {}", words.zipf(towns, 9), trade)),
        (0.84, pl.format("{} & {}", words.zipf(people, 7), words.zipf(people, 10))),
        (0.89, pl.format("{}.{}. {} {}", initials, words.even(list("AEHJKLMOPST"), 11), own, trade)),
        (0.93, pl.format("{} {} {}", number, own, trade)),
        (0.97, pl.format("{} {}", own, other)),
        (1.00, own),
    )
    kind = words.uniform(12)
    name = pl.coalesce(*[pl.when(kind < bound).then(made) for bound, made in kinds], own)
    ending = pl.format(" {}", words.zipf(language.forms, 13))
    return pl.concat_str(name, pl.when(words.uniform(14) < 0.92).then(ending).otherwise(pl.lit("")))


def _number(market: str) -> pl.Expr:
    """Canonical numbers. Check digits are not right: registries hold such, and look-ups do not ask for them."""
    number = pl.col("index").cast(pl.Int64) + _BOUNDS[market]
    if market == "FI":
        return pl.format("{}-{}", number, number % 10)
    return pl.format("US{}", number.cast(pl.String).str.zfill(10)) if market == "US" else number.cast(pl.String)


def _industries(scheme: str) -> list[str]:
    """Some 600 codes of the scheme's length, in an order of their own."""
    length = 4 if scheme == "SIC" else 5
    chance = random.Random(scheme)
    codes = [
        f"{division:02d}{chance.randrange(10 ** (length - 2)):0{length - 2}d}"
        for division in range(1, 97)
        for _ in range(6)
    ]
    chance.shuffle(codes)
    return codes


def _companies(market: str, drawn: pl.DataFrame) -> pl.DataFrame:
    language = LANGUAGES[market]
    is_gone = pl.col("status") == "dissolved"
    values = {
        "company_id": pl.format("firm:{}:{}", pl.lit(market), "org_number"),
        "org_number": pl.col("org_number"),
        "name": pl.col("name"),
        "country": pl.lit(market),
        "industry_code": pl.col("industry"),
        "industry_label": pl.format("Industry {}", "industry"),
        "industry_scheme": pl.lit(language.scheme),
        "municipality": pl.col("town"),
        "municipality_code": (1000 + pl.col("town").hash(1) % 9000).cast(pl.String),
        "county": pl.col("county"),
        "county_code": (10 + pl.col("county").hash(1) % 90).cast(pl.String),
        "registered_date": pl.lit(AT.date()) - pl.duration(days=pl.col("age")),
        "status": pl.col("status"),
        "dissolved_date": pl.when(is_gone).then(pl.lit(date(2026, 6, 30))),
        "is_listed": pl.col("is_listed"),
        "employees": pl.when(~is_gone).then(pl.col("employees")),
        "previous_names": pl.lit([], dtype=pl.List(pl.String)),
        "address_lines": pl.concat_list(pl.format("{} {}", "town", pl.col("age") % 200)),
        "postal_code": (pl.col("age") % 9000 + 1000).cast(pl.String),
        "post_town": pl.col("town"),
        "sources": pl.lit("[]"),
        "observed_at": pl.lit(AT),
    }
    absent = [pl.lit(None).alias(name) for name in COMPANIES.names if name not in values]
    return schema_render.conform_frame(
        COMPANIES, drawn.select(*[value.alias(name) for name, value in values.items()], *absent)
    )


def _financials(market: str, drawn: pl.DataFrame) -> pl.DataFrame:
    """The newest year's accounts of those that filed any."""
    day = pl.date(pl.col("year"), 1, 1)
    values = {
        "company_id": pl.format("firm:{}:{}", pl.lit(market), "org_number"),
        "period_start": day,
        "period_end": pl.date(pl.col("year"), 12, 31),
        "is_consolidated": pl.lit(value=False),
        "currency": pl.col("currency"),
        "version": pl.lit(1),
        "is_current": pl.lit(value=True),
        "is_restated": pl.lit(value=False),
        "period_type": pl.lit("annual"),
        "fiscal_year": pl.col("year"),
        "revenue": pl.col("revenue"),
        "derived": pl.lit([], dtype=pl.List(pl.String)),
        "is_comparative": pl.lit(value=False),
        "filing_id": pl.format("fil_{}", pl.col("org_number").str.to_lowercase().str.pad_start(26, "0")),
        "filed_at": pl.date(pl.col("year") + 1, 6, 30),
        "register": pl.lit(f"{market.lower()}.accounts"),
        "observed_at": pl.lit(AT),
    }
    absent = [pl.lit(None).alias(name) for name in FINANCIALS.names if name not in values]
    filed = drawn.filter(pl.col("revenue").is_not_null())
    return schema_render.conform_frame(
        FINANCIALS, filed.select(*[value.alias(name) for name, value in values.items()], *absent)
    )
