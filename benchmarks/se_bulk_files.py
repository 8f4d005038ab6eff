"""The two Swedish bulk files of any size, written as the registries document them, odd corners included.

Belongs here: synthetic text. Does not belong here: reading or timing it (`bench_se_bulk`).
"""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO, Final

import polars as pl

from benchmarks.changing import changed

FIRST: Final = 5_560_000_000  # numbers of companies: the third digit is two or more
STEP: Final = 7
_SHUFFLE: Final = 20261121
_CHUNK: Final = 500_000  # rows written at once
_HEADER: Final = (
    "organisationsidentitet;namnskyddslopnummer;registreringsland;organisationsnamn;organisationsform;"
    "avregistreringsdatum;avregistreringsorsak;pagandeAvvecklingsEllerOmstruktureringsforfarande;"
    "registreringsdatum;verksamhetsbeskrivning;postadress"
)
_INDUSTRIES: Final = ("Ng1", "Ng2", "Ng3", "Ng4", "Ng5")
_COLUMNS: Final = (
    *("ForAndrTyp", "COAdress", "Foretagsnamn", "FtgStat", "Gatuadress", "JEStat", "JurForm", "Namn"),
    *_INDUSTRIES,
    *("PeOrgNr", "PostNr", "PostOrt", "RegDatKtid", "Reklamsparrtyp"),
    *("mCOAdress", "mForetagsnamn", "mFtgStat", "mGatuadress", "mJEStat", "mJurForm", "mNamn"),
    *(f"m{name}" for name in _INDUSTRIES),
    *("mPostNr", "mPostOrt", "mRegDatKtid", "mReklamsparrtyp"),
)
_FORMS: Final = ("AB", "AB", "AB", "AB", "HB", "BRF", "EK", "KB", "I", "FL")
_TOWNS: Final = ("STOCKHOLM", "GÖTEBORG", "MALMÖ", "UPPSALA", "KISA", "VÄXJÖ", "ÖREBRO", "LULEÅ")
_CODES: Final = ("11122", "41103", "21120", "75320", "59037", "35230", "70210", "97231")
_ACTIVITY: Final = (
    "Bolaget skall bedriva handel med och förvaltning av värdepapper och fast egendom, "
    "konsultverksamhet inom byggnation och ekonomi samt därmed förenlig verksamhet."
)


def _numbers(start: int, count: int, step: int = STEP) -> pl.DataFrame:
    return pl.select(i=pl.int_range(start, start + count)).with_columns(
        number=(FIRST + pl.col("i") * step).cast(pl.String)
    )


def _of(words: tuple[str, ...], every: int = 1) -> pl.Expr:
    """One of some words by the row's number."""
    place = (pl.col("i") // every) % len(words)
    return pl.lit(pl.Series(words)).gather(place)


def _day(first: str, spread: int) -> pl.Expr:
    return (pl.lit(first).str.to_date() + pl.duration(days=pl.col("i") * 37 % spread)).cast(pl.String)


def _every(count: int, text: pl.Expr | str, otherwise: pl.Expr | str = "") -> pl.Expr:
    """`text` in one row of `count`."""
    said = pl.lit(text) if isinstance(text, str) else text
    other = pl.lit(otherwise) if isinstance(otherwise, str) else otherwise
    return pl.when(pl.col("i") % count == 1).then(said).otherwise(other)


def names() -> pl.Expr:
    """What each company is called."""
    plain = pl.format("Exempelföretaget {} i {} AB", "i", _of(_TOWNS))
    return _every(20_011, pl.format('Vägföreningen "{}" med firma', "i"), plain)


def _organisations(rows: pl.DataFrame, day: int) -> pl.Series:
    named = pl.concat_str(names(), pl.lit("$FORETAGSNAMN-ORGNAM$"), _day("1970-01-01", 20_000))
    several = _every(40, pl.concat_str(named, pl.lit("|Example Company Ltd$FORNAMN_FRSPRAK-ORGNAM$2001-05-10")), named)
    ended = pl.col("i") % 5 < 3  # a historical register: three of five are deregistered
    activity = _every(10_007, f"{_ACTIVITY}\nÄven annat.", _every(30_011, f"{_ACTIVITY}\0", pl.lit(_ACTIVITY)))
    fields = (
        pl.concat_str("number", pl.lit("$ORGNR-IDORG")),
        pl.lit(""),
        pl.lit("SE-LAND"),
        several,
        _of(_FORMS) + "-ORGFO",
        pl.when(ended).then(_day("2001-01-01", 9_000)).otherwise(_every(3, "null")),
        pl.when(ended).then(_of(("KKAV", "LIAV", "FUAV", "VERKUPP"), 3) + "-AVORG").otherwise(pl.lit("")),
        pl.when(ended).then(pl.lit("")).otherwise(_every(300, "KK-AVOMFO$2024-02-01")),
        _day("1970-01-01", 20_000),
        activity,
        pl.format("{} {}$${}${}$SE-LAND", _street(day), pl.col("i") % 200, _of(_TOWNS), _of(_CODES)),
    )
    line = pl.concat_str(pl.lit('"'), pl.concat_str(*fields, separator='";"'), pl.lit('"\n'))
    return rows.select(line.alias("line"))["line"]


def _street(day: int) -> pl.Expr:
    return pl.when(changed(day)).then(pl.lit("Nygatan")).otherwise(pl.lit("Storgatan"))


def write_organisations(path: Path, count: int, day: int = 0) -> None:
    """Bolagsverket's file: UTF-8, semicolons, quotes not doubled; one of fifty numbers has two rows.

    day: as in `changing`, who moves.
    """
    twice = count // 50
    with path.open("wb") as file:
        file.write(f"{_HEADER}\n".encode())
        for start in range(0, count - twice, _CHUNK):
            rows = _numbers(start, min(_CHUNK, count - twice - start))
            _write(file, _organisations(rows.sample(fraction=1.0, shuffle=True, seed=_SHUFFLE), day), "utf-8")
        again = _numbers(0, count).gather_every(50)[:twice]
        _write(file, _organisations(again, day), "utf-8")


def write_units(path: Path, count: int) -> None:
    """SCB's file: Latin-1, tabs, a tab behind the last column."""
    with path.open("wb") as file:
        file.write(("\t".join(_COLUMNS) + "\t\n").encode())
        for start in range(0, count, _CHUNK):
            rows = _numbers(start, min(_CHUNK, count - start))
            _write(file, _units(rows.sample(fraction=1.0, shuffle=True, seed=_SHUFFLE)), "latin-1")


def _units(rows: pl.DataFrame) -> pl.Series:
    said = {
        "COAdress": _every(20, "C/O EKONOMIBYRÅN"),
        "FtgStat": _of(("1", "1", "1", "0", "9")),
        "Gatuadress": pl.format("STORGATAN {}", pl.col("i") % 200),
        "JEStat": _of(("0", "0", "1", "2")),
        "JurForm": _of(("49", "49", "31", "53", "51")),
        "Namn": pl.format("EXEMPELFÖRETAGET {} I {} AB", "i", _of(_TOWNS)),
        "Ng1": _of(("62100", "01500", "00000", "41200", "96210"), 2),
        "Ng2": _of(("00000", "68201")),
        "PeOrgNr": pl.lit("16") + pl.col("number"),
        "PostNr": _of(_CODES),
        "PostOrt": _of(_TOWNS),
        "RegDatKtid": _day("1970-01-01", 20_000).str.replace_all("-", "", literal=True),
        "Reklamsparrtyp": _of(("1", "2")),
    }
    fields = [said.get(name, pl.lit("")) for name in _COLUMNS]
    return rows.select(pl.concat_str(*fields, pl.lit("\n"), separator="\t").alias("line"))["line"]


def _write(file: BinaryIO, lines: pl.Series, encoding: str) -> None:
    file.write("".join(lines.to_list()).encode(encoding))
