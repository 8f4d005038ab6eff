"""Converts rows of both bulk files to one statement per company, column by column.

Belongs here: which of several rows counts, splitting names and addresses. Does not belong here: the choice between
bulk and API (`profile.companies`).
"""

from __future__ import annotations

import re
from typing import Final

import polars as pl

from connectors.se import code_lists
from connectors.se.bulk.bolagsverket_schema import FORM, NAMES, NUMBER, PROCEEDINGS, SERIAL
from connectors.se.bulk.scb_schema import SCHEME
from connectors.se.text_columns import NULL, null_if_empty, repair_cells, without_null_words

_ELEMENT: Final = r"(?s)^(.*)\$([A-Z_]+?)(?:-ORGNAM)?\$(?:(\d{4}-\d{2}-\d{2})|(?i:null))?(?:\$.*|)$"
_ODD_ELEMENT: Final = r"(?s)^(.*?)\$([^$]+)-ORGNAM(?:\$.*)?$"  # of a kind or with a day that no other element has
_READ_ELEMENT: Final = r"(?:^|\|)[^|]*[^|$ ][^|]*\$[A-Z_]+(?:-ORGNAM)?\$(?:\d{4}-\d{2}-\d{2}|(?i:null))?(?:[|$]|$)"
_TYPED: Final = r"\$(?:[A-Z_]+\$|[^$|]+-ORGNAM(?:\$|$))"
_TYPE_OF_NAME: Final = re.compile(_TYPED)
_ACTIVITY: Final = re.compile(_TYPED + r"[^$]*\$")
_RANKS: Final = {"FORETAGSNAMN": 0, "NAMN": 1}  # the API uses the same words
_OTHER: Final = 2
_BETWEEN: Final = "|"
_INSIDE: Final = "\x1f"  # for a separator that is part of a name
_REGISTERED: Final = "$FORETAGSNAMN-ORGNAM$"
# Suffix of most kinds of names in the bulk file, before the date -> rank of the kind.
_ENDINGS: Final = {_REGISTERED: 0, "$NAMN-ORGNAM$": 1, "$FORNAMN_FRSPRAK-ORGNAM$": _OTHER}
_DATE: Final = 10  # characters


def _ends_with(ending: str) -> pl.Expr:
    """True if the text ends with `ending` followed by the characters of a date."""
    return pl.col(NAMES).str.slice(-len(ending) - _DATE, len(ending)) == ending


def _text_before(ending: str) -> pl.Expr:
    return pl.col(NAMES).str.head(-len(ending) - _DATE)


_IS_PLAIN: Final = _ends_with(_REGISTERED) & ~pl.col(NAMES).str.contains(_BETWEEN, literal=True)
_IS_NAMELESS: Final = pl.any_horizontal(
    pl.col(NAMES).str.starts_with(f"{word}$") for word in ("", "null", "NULL", "Null")
)
_NAME: Final = _text_before(_REGISTERED)
_NAME_DATE: Final = pl.col(NAMES).str.tail(_DATE).str.to_date("%Y-%m-%d", strict=False)
_USED: Final = (
    *(NUMBER, NAMES, FORM, PROCEEDINGS, "registreringsland", "avregistreringsdatum", "avregistreringsorsak"),
    *("registreringsdatum", "postadress", "_observed_at"),
)
_ORDERING: Final = (SERIAL, "rad", "_retired_at")  # decides which of several rows counts
_END: Final = "avregistreringsdatum"
_ROW: Final = "_row"
_CUT: Final = "_parts_of_address"
ADDRESS: Final = ("street", "care_of", "town", "postcode", "address_country")
_PLACES: Final = {"care_of": -4, "town": -3, "postcode": -2, "address_country": -1}
_PARTS: Final = 5


def bolagsverket_statements(rows: pl.LazyFrame) -> pl.DataFrame:
    """One row per company: rows not deregistered first, then the latest registered name."""
    return _statement_columns(_deduplicate_rows(rows.select(*_USED, *_ORDERING).collect()))


def _statement_columns(rows: pl.DataFrame) -> pl.DataFrame:
    """Columns of a statement from either channel (see `profile.companies`)."""
    return with_address(with_names(rows), "postadress").select(
        NUMBER,
        pl.col("_name").alias("name"),
        pl.col("_name_date").alias("name_since"),
        pl.col(FORM).alias("form"),
        pl.col("registreringsland").alias("country"),
        pl.col("avregistreringsdatum").alias("deregistered"),
        pl.col("avregistreringsorsak").alias("reason"),
        pl.col(PROCEEDINGS).alias("proceedings"),
        pl.col("registreringsdatum").alias("registered"),
        *ADDRESS,
        pl.col("_observed_at").alias("bulk_seen"),
    )


def _deduplicate_rows(rows: pl.DataFrame) -> pl.DataFrame:
    """The row that counts per number; a row that left the register only if all rows did.

    Of rows that are all deregistered it is the last one: until its day the organisation was there.
    """
    several = rows.select(pl.col(NUMBER).cast(pl.UInt64).is_duplicated().alias("several"))["several"]
    if not several.any():
        return rows.select(_USED)  # nearly all have one row: only the others are sorted
    order = ["_gone", "_ended", _END, "_rank", "_name_date", SERIAL, "rad"]
    has_ended = pl.col(_END).is_not_null() | code_lists.names_an_end("avregistreringsorsak")
    some = rows.with_row_index(_ROW).filter(several)
    ranked = (
        some.hstack(_rank_names(some.select(NAMES)))
        .with_columns(_gone=pl.col("_retired_at").is_not_null(), _ended=has_ended)
        .sort(NUMBER, *order, descending=[False, False, False, True, False, True, False, False], nulls_last=True)
    )
    counts = ranked.unique(NUMBER, keep="first", maintain_order=True)[_ROW]
    return rows.select(_USED).filter((~several).scatter(counts, [True] * len(counts)))


def are_unreadable_names(names: pl.Series) -> pl.Series:
    """True for texts without a name, or without an element written as documented: name, kind, and day or null."""
    odd = names.alias(NAMES).to_frame().select((~_IS_PLAIN | _IS_NAMELESS).fill_null(value=False).alias("odd"))["odd"]
    some = names.alias(NAMES).filter(odd)
    if some.is_empty():
        return odd
    lost = with_names(some.to_frame())["_name"].is_null() | ~some.str.contains(_READ_ELEMENT)
    return odd.scatter(odd.arg_true(), lost)


def with_names(rows: pl.DataFrame) -> pl.DataFrame:
    """Adds the name that counts and its date: the registered one with the latest date, else a plain one, or the first.

    Null if no element has one.
    """
    plain = rows.select(_IS_PLAIN.fill_null(value=False).alias("plain"))["plain"]
    # nearly all have one registered name with a date, and need no regular expression
    shown = rows.select(_NAME.alias("_name"), _NAME_DATE.alias("_name_date"))
    if not plain.all():
        best, places = _best_names(rows.select(NAMES).filter(~plain)), (~plain).arg_true()
        shown = shown.select(shown[name].scatter(places, best[name]) for name in shown.columns)
    said = pl.col("_name").str.strip_chars()
    named = shown.select(pl.when(said != "").then(said).alias("_name"), "_name_date")
    return rows.with_columns(without_null_words(named, ["_name"]))


def _rank_names(rows: pl.DataFrame) -> pl.DataFrame:
    """Result of `_best_names` per row, with a fast path for one registered name and its date."""
    shown = rows.with_columns(_name=_NAME, _rank=pl.lit(0, pl.Int32), _name_date=_NAME_DATE)
    is_plain = _IS_PLAIN & (pl.col("_name").str.strip_chars() != "") & pl.col("_name_date").is_not_null()
    plain = shown.select(is_plain.fill_null(value=False).alias("plain"))["plain"]
    shown, places = shown.drop(NAMES), (~plain).arg_true()
    others = _best_names(rows.filter(~plain))
    return shown.select(shown[name].scatter(places, others[name]) for name in shown.columns)


def _best_names(rows: pl.DataFrame) -> pl.DataFrame:
    """Name, rank and date of each row; nulls if no element is a name."""
    numbered = rows.with_row_index(_ROW)
    each = numbered.with_columns(_split_names(rows[NAMES])).explode(NAMES, empty_as_null=True)
    latest = pl.when(pl.col("_rank") == 0).then(pl.col("_name_date"))
    ordered = (
        _split_elements(each)
        .lazy()
        # elements that are no name (part of an activity) are null
        .filter(~pl.col("_name").str.to_lowercase().is_in(["", NULL]))
        .with_columns(_latest=latest)
        .sort(_ROW, "_rank", "_latest", descending=[False, False, True], nulls_last=True, maintain_order=True)
    )
    first = ordered.unique(_ROW, keep="first", maintain_order=True).drop("_latest").collect()
    return numbered.select(_ROW).join(first, on=_ROW, how="left", maintain_order="left").drop(_ROW)


def _split_names(names: pl.Series) -> pl.Series:
    """The elements of each text. A separator inside a name is part of it: the element's type follows later."""
    untyped = names.str.split(_BETWEEN).list.eval(~pl.element().str.contains(_TYPED))
    torn = untyped.list.any().fill_null(value=False)  # rare: a piece without a type is no element
    whole = repair_cells(names, torn, lambda some: pl.Series(map(_mark_inner_separators, some), dtype=pl.String))
    return whole.str.split(_BETWEEN).list.eval(pl.element().str.replace_all(_INSIDE, _BETWEEN, literal=True))


def _mark_inner_separators(text: str) -> str:
    """A text with its separators inside names as `_INSIDE`, and without what follows one inside an activity."""
    elements: list[str] = []
    begun: list[str] = []
    for piece in text.split(_BETWEEN):
        is_typed = _TYPE_OF_NAME.search(piece) is not None
        if not is_typed and elements and not begun and _ACTIVITY.search(elements[-1]):
            continue
        begun.append(piece)
        if is_typed:
            elements.append(_INSIDE.join(begun))
            begun = []
    return _BETWEEN.join(elements)


def _split_elements(elements: pl.DataFrame) -> pl.DataFrame:
    """Name, rank of its kind and date of each element, with a fast path for the usual suffixes."""
    kinds = [pl.when(_ends_with(ending)) for ending in _ENDINGS]
    shown = elements.select(
        _ROW,
        pl.coalesce(kind.then(_text_before(ending)) for kind, ending in zip(kinds, _ENDINGS, strict=True))
        .str.strip_chars()
        .alias("_name"),
        pl.coalesce(
            kind.then(pl.lit(rank, pl.Int32)) for kind, rank in zip(kinds, _ENDINGS.values(), strict=True)
        ).alias("_rank"),
        _NAME_DATE.alias("_name_date"),
    )
    odd = shown.select((pl.col("_rank").is_null() | pl.col("_name_date").is_null()).alias("odd"))["odd"]
    if not odd.any():
        return shown
    others, places = _split_by_pattern(elements.filter(odd)), odd.arg_true()
    return shown.with_columns(shown[name].scatter(places, others[name]) for name in others.columns)


def _split_by_pattern(elements: pl.DataFrame) -> pl.DataFrame:
    """Result of `_split_elements` for elements with other endings, by regular expression; nulls if no name."""
    written, odd = (pl.col(NAMES).str.extract_groups(pattern).struct for pattern in (_ELEMENT, _ODD_ELEMENT))
    parts = elements.select(
        pl.coalesce(written.field("1"), odd.field("1")).alias("name"),
        pl.coalesce(written.field("2"), odd.field("2")).alias("kind"),
        written.field("3").alias("day"),
    )
    return parts.select(
        pl.col("name").str.strip_chars().alias("_name"),
        pl.col("kind").replace_strict(_RANKS, default=_OTHER, return_dtype=pl.Int32).alias("_rank"),
        pl.col("day").str.to_date("%Y-%m-%d", strict=False).alias("_name_date"),
    )


def with_address(rows: pl.DataFrame, column: str) -> pl.DataFrame:
    """Adds the parts of street$c/o$city$postcode$country, each null if empty."""
    parts = rows.select(pl.col(column).str.split_exact("$", _PARTS).struct.unnest())
    *_, last, sixth = parts.get_columns()
    # six parts or too few parts: rare
    odd = rows[column].is_not_null() & (last.is_null() | sixth.is_not_null())
    parts = parts.drop(sixth.name)
    parts.columns = list(ADDRESS)
    if odd.any():
        cut = _split_from_end(rows[column].filter(odd))
        parts = parts.with_columns(parts[name].scatter(odd.arg_true(), cut[name]) for name in ADDRESS)
    said = null_if_empty(parts, ADDRESS).with_columns(pl.col("address_country").str.strip_suffix("-LAND"))
    return rows.hstack(said.get_columns())


def _split_from_end(addresses: pl.Series) -> pl.DataFrame:
    """Address parts counted from the end, since a street may contain the separator; nulls if too few."""
    parts = pl.col(_CUT)
    texts = {
        "street": parts.list.head(parts.list.len() - 4).list.join("$"),
        **{name: parts.list.get(place, null_on_oob=True) for name, place in _PLACES.items()},
    }
    cut = addresses.alias(_CUT).to_frame().with_columns(parts.str.split("$"))
    whole = cut.with_columns(pl.when(parts.list.len() >= _PARTS).then(parts).alias(_CUT))
    return whole.select(text.alias(name) for name, text in texts.items())


_USED_OF_SCB: Final = (
    *(NUMBER, "Namn", "FtgStat", "JurForm", "Ng1", SCHEME, "RegDatKtid"),
    *("Gatuadress", "COAdress", "PostOrt", "PostNr"),
)


def scb_statements(rows: pl.LazyFrame) -> pl.DataFrame:
    """One row per company. A row that left the file still counts.

    See docs/formats/se.md 12.
    """
    said = rows.select(*_USED_OF_SCB, "_observed_at").collect()
    return said.select(
        pl.col(NUMBER),
        pl.col("Namn").alias("scb_name"),
        pl.col("FtgStat").alias("activity"),  # 1 active, 0 never, 9 no longer; the API's JA and NEJ are 1 and 9
        ("FtgStat " + pl.col("FtgStat")).alias("activity_word"),
        pl.col("JurForm").alias("statistical_form"),
        pl.col("Ng1").alias("industry"),
        code_lists.industry_labels("Ng1", SCHEME).alias("industry_label"),
        pl.col(SCHEME).alias("industry_scheme"),
        pl.col("RegDatKtid").alias("scb_registered"),
        pl.col("Gatuadress").alias("scb_street"),
        pl.col("COAdress").alias("scb_care_of"),
        pl.col("PostOrt").alias("scb_town"),
        pl.col("PostNr").alias("scb_postcode"),
        pl.col("_observed_at").alias("scb_seen"),
    )
