"""BasicCompanyData and a PSC snapshot of any size, written as Companies House does, odd corners included.

Belongs here: synthetic text. Does not belong here: reading or timing it (`bench_uk_companies`, `bench_uk_psc`).
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import polars as pl

from benchmarks.changing import changed
from connectors.uk.basic_company_data.dataset import COLUMNS

_CHUNK: Final = 250_000  # rows written at once
_BLANK_BEFORE: Final = {
    "CompanyNumber", "RegAddress.AddressLine2", "ConfStmtLastMadeUpDate", "PreviousName_1.CompanyName",
}  # fmt: skip
_TOWNS: Final = ("LONDON", "LEEDS", "BIRMINGHAM", "CARDIFF", "GLASGOW", "BELFAST", "BRISTOL", "HENLEY-ON-THAMES")
_CATEGORIES: Final = (*("Private Limited Company",) * 9, "Limited Liability Partnership", "Public Limited Company")
_STATUSES: Final = (*("Active",) * 12, "Active - Proposal to Strike off", "Liquidation")
_ACCOUNTS: Final = ("MICRO ENTITY", "DORMANT", "TOTAL EXEMPTION FULL", "NO ACCOUNTS FILED", "FULL", "")
_SIC: Final = (
    "62020 - Information technology consultancy activities",
    "99999 - Dormant Company",
    "None Supplied",
    "7499 - Non-trading company",
    "47910 - Retail sale via mail order houses or via Internet",
)
_PEOPLE: Final = 87  # of a hundred PSC records; then entities, then statements, and one protected
_ENTITIES: Final = 94
_BANDS: Final = ("25-to-50", "50-to-75", "75-to-100")


def _of(words: tuple[str, ...], every: int = 1) -> pl.Expr:
    """One of some words by the row's number."""
    return pl.lit(pl.Series(words)).gather((pl.col("i") // every) % len(words))


def _day(first: str, spread: int, form: str) -> pl.Expr:
    day = pl.lit(first).str.to_date() + pl.duration(days=pl.col("i") * 37 % spread)
    return day.dt.strftime(form)


def _every(count: int, said: pl.Expr, otherwise: pl.Expr | None = None) -> pl.Expr:
    """`said` in one row of `count`."""
    return pl.when(pl.col("i") % count == 1).then(said).otherwise(pl.lit("") if otherwise is None else otherwise)


def _number(column: str = "i") -> pl.Expr:
    return pl.format("{}", pl.col(column) + 1_000_000).str.pad_start(8, "0")


def names() -> pl.Expr:
    """What each company is called."""
    plain = pl.format("EXAMPLE {} TRADING {} LIMITED", _of(_TOWNS), "i")
    return _every(997, pl.format('"THE {}" & SONS, LIMITED', "i"), plain)


def write_companies(path: Path, count: int, day: int = 0) -> None:
    """One csv with its header, every cell in quotes as since 2021. day: as in `changing`."""
    header = ",".join(f" {name}" if name in _BLANK_BEFORE else name for name in COLUMNS)
    cells = _cells(day)
    line = pl.concat_str(
        pl.lit('"'), pl.concat_str(*(cells.get(n, pl.lit("")) for n in COLUMNS), separator='","'), pl.lit('"')
    )
    with path.open("wb") as file:
        file.write(f"{header}\r\n".encode())
        for start in range(0, count, _CHUNK):
            rows = pl.select(i=pl.int_range(start, min(start + _CHUNK, count)))
            file.write(("\r\n".join(rows.select(line=line)["line"].to_list()) + "\r\n").encode())


def _cells(day: int) -> dict[str, pl.Expr]:
    british, none = "%d/%m/%Y", pl.lit("0")
    return {
        "CompanyName": names().str.replace_all('"', '""', literal=True),
        "CompanyNumber": _number(),
        "RegAddress.CareOf": _every(50, pl.lit("EXAMPLE & CO")),
        "RegAddress.AddressLine1": pl.when(changed(day))
        .then(pl.format("{} MOVED STREET", pl.col("i") % 300))
        .otherwise(pl.format("UNIT {} NEWTON BUSINESS CENTRE", pl.col("i") % 300)),
        "RegAddress.AddressLine2": _every(2, pl.lit("NEWTON CHAMBERS ROAD")),
        "RegAddress.PostTown": _of(_TOWNS),
        "RegAddress.County": _every(3, pl.lit("YORKSHIRE")),
        "RegAddress.Country": _of(("ENGLAND", "UNITED KINGDOM", "", "WALES"), 2),
        "RegAddress.PostCode": pl.format("S{} {}PH", pl.col("i") % 90, pl.col("i") % 9),
        "CompanyCategory": _of(_CATEGORIES),
        "CompanyStatus": pl.when(changed(day) & (pl.col("i") % 7 == 0))
        .then(pl.lit("In Administration"))
        .otherwise(_of(_STATUSES)),
        "CountryOfOrigin": pl.lit("United Kingdom"),
        "IncorporationDate": _day("1980-01-01", 16_000, british),
        "Accounts.AccountRefDay": pl.lit("31"),
        "Accounts.AccountRefMonth": pl.format("{}", pl.col("i") % 12 + 1),
        "Accounts.NextDueDate": _day("2026-09-30", 400, british),
        "Accounts.LastMadeUpDate": _day("2024-09-30", 400, british),
        "Accounts.AccountCategory": _of(_ACCOUNTS),
        "Returns.NextDueDate": _day("2016-10-28", 300, british),
        "Returns.LastMadeUpDate": _every(2, _day("2015-09-30", 300, british)),
        "Mortgages.NumMortCharges": none,
        "Mortgages.NumMortOutstanding": none,
        "Mortgages.NumMortPartSatisfied": none,
        "Mortgages.NumMortSatisfied": none,
        "SICCode.SicText_1": _of(_SIC, 3),
        "SICCode.SicText_2": _every(5, pl.lit("70229 - Management consultancy activities")),
        "LimitedPartnerships.NumGenPartners": none,
        "LimitedPartnerships.NumLimPartners": none,
        "URI": pl.lit("http://business.data.gov.uk/id/company/") + _number(),
        "PreviousName_1.CONDATE": _every(9, _day("2001-01-01", 8_000, british)),
        "PreviousName_1.CompanyName": _every(9, pl.format("FORMERLY {} LIMITED", "i")),
        "PreviousName_2.CONDATE": _every(90, _day("1991-01-01", 3_000, british)),
        "PreviousName_2.CompanyName": _every(90, pl.format("BEFORE THAT {} LIMITED", "i")),
        "ConfStmtNextDueDate": _day("2026-12-01", 400, british),
        "ConfStmtLastMadeUpDate": _day("2025-11-17", 400, british),
    }


def write_psc(path: Path, count: int, day: int = 0, companies: int | None = None) -> None:
    """Lines of all kinds in the shares of docs/formats/uk.md 4, and the trailer that counts them.

    day: as of companies. companies: how many share the lines; none: a line each.
    """
    share = pl.col("i") % 100
    line = (
        pl.when(share < _PEOPLE)
        .then(_person())
        .when(share < _ENTITIES - 1)
        .then(_entity())
        .when(share < _ENTITIES)
        .then(_protected())
        .otherwise(_statement())
    )
    statements = 0
    with path.open("wb") as file:
        for start in range(0, count, _CHUNK):
            rows = pl.select(i=pl.int_range(start, min(start + _CHUNK, count))).with_columns(
                band=pl.col("i") + changed(day).cast(pl.Int64), company=pl.col("i") % (companies or count)
            )
            statements += rows.filter(share >= _ENTITIES).height
            file.write(("\n".join(rows.select(line=line)["line"].to_list()) + "\n").encode())
        file.write(_trailer(count - statements, statements).encode())


def _trailer(holders: int, statements: int) -> str:
    return (
        '{"data":{"kind":"totals#persons-of-significant-control-snapshot",'
        f'"persons_of_significant_control_count":{holders},"statements_count":{statements},'
        '"exemptions_count":0,"generated_at":"2026-11-20T02:51:18Z"}}\n'
    )


def _filled(template: str, *values: pl.Expr) -> pl.Expr:
    """A text with a value at each «§»: braces stand for themselves."""
    first, *rest = template.split("§")
    parts = [pl.lit(first)]
    for value, after in zip(values, rest, strict=True):
        parts += [value.cast(pl.String), pl.lit(after)]
    return pl.concat_str(parts)


def _record(kind: str, path: str, data: pl.Expr) -> pl.Expr:
    """One line; keys in the registry's alphabetical order, as far as `data` begins before `etag`."""
    template = '{"company_number":"§","data":{§"kind":"' + kind + '","links":{"self":"/company/§/' + path + '/§"},§}}'
    before, after = data.struct.field("before"), data.struct.field("after")
    number = _number("company")
    identity = pl.col("i").hash(1).cast(pl.String).str.pad_start(27, "A")
    return _filled(template, number, before, number, identity, after)


def _etag() -> pl.Expr:
    return _filled('"etag":"§",', pl.col("i").hash(2).cast(pl.String).str.pad_start(40, "b"))


def _address() -> pl.Expr:
    return _filled(
        '"address":{"address_line_1":"St. Andrews Road","country":"England","locality":"§",'
        '"postal_code":"RG9 §HP","premises":"§"},',
        _of(_TOWNS),
        pl.col("i") % 9,
        pl.col("i") % 300,
    )


def _natures() -> pl.Expr:
    band = pl.lit(pl.Series(_BANDS)).gather(pl.col("band") % len(_BANDS))
    shares = _filled('"natures_of_control":["ownership-of-shares-§-percent"', band)
    votes = _every(3, _filled(',"voting-rights-§-percent"', _of(_BANDS)))
    board = _every(4, pl.lit(',"right-to-appoint-and-remove-directors"'))
    return pl.concat_str(shares, votes, board, pl.lit("],"))


def _ceased() -> pl.Expr:
    return _every(6, _filled('"ceased_on":"§",', _day("2018-05-14", 2_000, "%Y-%m-%d")))


def _notified() -> pl.Expr:
    return _filled('"notified_on":"§"', _day("2016-04-06", 3_500, "%Y-%m-%d"))


def _person() -> pl.Expr:
    born = _filled('"date_of_birth":{"month":§,"year":§},', pl.col("i") % 12 + 1, 1940 + pl.col("i") % 60)
    name = _filled(
        '"name":"Mrs Ann Beth Example§","name_elements":{"forename":"Ann","middle_name":"Beth",'
        '"surname":"Example§","title":"Mrs"},"nationality":"British",',
        pl.col("i"),
        pl.col("i"),
    )
    before = pl.concat_str(_address(), _ceased(), pl.lit('"country_of_residence":"England",'), born, _etag())
    after = pl.concat_str(name, _natures(), _notified())
    return _record(
        "individual-person-with-significant-control",
        "persons-with-significant-control/individual",
        pl.struct(before=before, after=after),
    )


def _entity() -> pl.Expr:
    papers = _filled(
        '"identification":{"country_registered":"England","legal_authority":"Companies Act 2006",'
        '"legal_form":"Limited Company","place_registered":"Companies House","registration_number":"§"},',
        _number(),
    )
    before = pl.concat_str(_address(), _ceased(), _etag(), papers)
    after = pl.concat_str(_filled('"name":"Example Holdings § Limited",', pl.col("i")), _natures(), _notified())
    return _record(
        "corporate-entity-person-with-significant-control",
        "persons-with-significant-control/corporate-entity",
        pl.struct(before=before, after=after),
    )


def _protected() -> pl.Expr:
    said = pl.lit('"ceased":false,"description":"super-secure-persons-with-significant-control",')
    return _record(
        "super-secure-person-with-significant-control",
        "persons-with-significant-control/super-secure",
        pl.struct(before=pl.concat_str(said, _etag()), after=pl.lit('"notified_on":"2020-01-02"')),
    )


def _statement() -> pl.Expr:
    after = pl.concat_str(_notified(), pl.lit(',"statement":"no-individual-or-entity-with-signficant-control"'))
    return _record(
        "persons-with-significant-control-statement",
        "persons-with-significant-control-statements",
        pl.struct(before=pl.concat_str(_ceased(), _etag()), after=after),
    )
