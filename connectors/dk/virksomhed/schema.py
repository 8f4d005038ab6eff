"""The staged tables of `dk.virksomhed`, in the register's own terms: companies, and statements about legal owners.

Does not belong here: reading a record (`companies`, `owners`), or what a value means (`profile`, `holdings`).
"""

from __future__ import annotations

from typing import Final

from warehouse.schema.types import Column, ColumnKind, Table, TurningDay

_T, _B, _D, _I = ColumnKind.TEXT, ColumnKind.BOOLEAN, ColumnKind.DATE, ColumnKind.INTEGER

KEY: Final = "dk.virksomhed"
NUMBER: Final = "cvr_nummer"
HOLDER: Final = "deltager"

COMPANIES: Final = Table(
    "dk_virksomhed",
    "Companies as the newest version of their record describes them.",
    (NUMBER,),
    (
        Column(NUMBER, _T, "CVR number, eight digits", nullable=False),
        Column("enheds_nummer", _I, "unit number", nullable=False),
        Column("samt_id", _I, "number of the record's version"),
        Column("sidst_opdateret", _T, "last change of the record, as written"),
        Column("navn", _T, "current name", nullable=False),
        Column("navn_fra", _D, "since"),
        Column("tidligere_navne", ColumnKind.TEXTS, "former names, newest first"),
        Column("form_kode", _T, "legal form"),
        Column("form_tekst", _T, "its label"),
        Column("form_fra", _D, "since"),
        Column("sammensat_status", _T, "status that the register puts together"),
        Column("status", _T, "current status of the company, as a court or the register decided"),
        Column("status_fra", _D, "since"),
        Column("livsforloeb_fra", _D, "first day of the earliest life span"),
        Column("livsforloeb_til", _D, "last day of the latest life span; null while one is open"),
        Column("har_livsforloeb", _B, "the record has a life span", nullable=False),
        Column("stiftelses_dato", _D, "founded; null for the filler 1901-01-01"),
        Column("branche_kode", _T, "main industry, six digits"),
        Column("branche_tekst", _T, "its label"),
        Column("branche_fra", _D, "since"),
        Column("landekode", _T, "country of the address"),
        Column("adresse", ColumnKind.TEXTS, "street lines of the address"),
        Column("postnummer", _T, "postal code, four digits"),
        Column("postdistrikt", _T, "postal place"),
        Column("kommune_kode", _T, "municipality, three digits"),
        Column("kommune_navn", _T, "its name, in capitals"),
        Column("adresse_fra", _D, "since"),
        Column("hjemmeside", _T, "website"),
        Column("antal_ansatte", _I, "employees by the newest statistics; null for an interval"),
        Column("ansatte_pr", _T, "period of these statistics: year, month or quarter"),
        Column("reklamebeskyttet", _B, "protected from unsolicited advertising", nullable=False),
        Column("ejere_under_5", _B, "registered that no owner has 5 percent", nullable=False),
        Column("fejl_registreret", _B, "registered by mistake", nullable=False),
        Column("har_deltagere", _B, "the record lists its holders, each by number; null for rows of before 1.6"),
    ),
    turning_days=(TurningDay("livsforloeb_til"),),
)

OWNERS: Final = Table(
    "dk_ejer",
    "Statements of the register of owners (EJERREGISTER), by company, holder and first day.",
    (NUMBER, HOLDER, "periode"),
    (
        Column(NUMBER, _T, "CVR number of the company", nullable=False),
        Column(HOLDER, _T, "unit number of the holder", nullable=False),
        Column("periode", _T, "first day of the statement; `unknown` if the register states none", nullable=False),
        Column("gyldig_fra", _D, "first day"),
        Column("gyldig_til", _D, "last day; null while it holds"),
        Column("enhedstype", _T, "PERSON, VIRKSOMHED or another kind of participant"),
        Column("forretningsnoegle", _T, "CVR number of a holder that has one"),
        Column("navn", _T, "the holder's current name"),
        Column("landekode", _T, "country of the holder's address; null if hidden"),
        Column("ejerandel", _T, "share of capital, a fraction: the lower end of a band"),
        Column("stemmeret", _T, "share of votes, likewise"),
    ),
    turning_days=(TurningDay("gyldig_fra"), TurningDay("gyldig_til")),
)
FROM_DAY: Final = "fra"
LATER_COMPANIES: Final = Table(
    "dk_virksomhed_senere",
    "Companies as their record describes them from a later day on: as a row of `dk_virksomhed`, for each day to come.",
    (NUMBER, FROM_DAY),
    (*COMPANIES.columns, Column(FROM_DAY, _D, "the day", nullable=False)),
    turning_days=(TurningDay(FROM_DAY),),
)
STAGED: Final = {table.name: table for table in (COMPANIES, OWNERS, LATER_COMPANIES)}
