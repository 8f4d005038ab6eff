"""The staged table of `fi.ytj`, its codes, and which of them are known.

Columns keep the source's names if a value is taken unchanged; from lists (names, forms, entries, addresses) the
relevant item is selected while reading (`rows`), by the rules of docs/formats/fi.md 2.2 and 7. Does not belong
here: reading, or the shared profile (`profile.companies`).
"""

from __future__ import annotations

from typing import Final

from warehouse.schema.types import Column, ColumnKind, Table

KEY: Final = "fi.ytj"
NUMBER: Final = "businessId"

_T, _D = ColumnKind.TEXT, ColumnKind.DATE

COMPANIES: Final = Table(
    "fi_ytj",
    "Companies of the Business Information System, as last described by the bulk file or a search page.",
    (NUMBER,),
    (
        Column(NUMBER, _T, "business id with hyphen", nullable=False),
        Column("businessId.registrationDate", _D, "day the id was issued"),
        Column("euId", _T, "EUID"),
        Column("name", _T, "present company name (type 1)"),
        Column("name.registrationDate", _D, "since", business=False),
        Column("previousNames", ColumnKind.TEXTS, "former company names, newest first"),
        Column("parallelNames", ColumnKind.TEXTS, "present names in other languages (type 2)"),
        Column("mainBusinessLine.type", _T, "industry code"),
        Column("mainBusinessLine.typeCodeSet", _T, "its code list: TOIMI4, TOIMI3, …"),
        Column("mainBusinessLine.description", _T, "its label, English before Finnish"),
        Column("mainBusinessLine.registrationDate", _D, "since", business=False),
        Column("website.url", _T, "website as written"),
        Column("companyForm.type", _T, "present legal form, a number (YRMU)"),
        Column("companyForm.description", _T, "its label, English before Finnish"),
        Column("companyForm.registrationDate", _D, "since", business=False),
        Column("companySituation", _T, "open situation: KONK, SELTILA or SANE; the gravest of several"),
        Column("companySituation.registrationDate", _D, "since"),
        Column("companySituation.endDate", _D, "end of the last closed one"),
        Column("tradeRegister.type", _T, "newest entry in the Trade Register (REK_KDI)"),
        Column("tradeRegister.registrationDate", _D, "its first day"),
        Column("tradeRegister.endDate", _D, "its last day"),
        Column("tradeRegister.ceased", _D, "last day a deletion was entered, where it was overtaken since"),
        Column("taxRegisters.open", ColumnKind.INTEGER, "entries in registers 5, 6 and 7 without an end"),
        Column("taxRegisters.registrationDate", _D, "newest first day of those"),
        Column("taxRegisters.endDate", _D, "last end of one in these registers; null where none ever ended"),
        Column("vat", ColumnKind.BOOLEAN, "an open entry in the VAT register (6)"),
        Column("address.lines", ColumnKind.TEXTS, "street lines of the visiting, else the postal address"),
        Column("address.postCode", _T, "its post code"),
        Column("address.city", _T, "its post office, Finnish before Swedish"),
        Column("address.country", _T, "its country as written; null where it is Finnish"),
        Column("address.registrationDate", _D, "since", business=False),
        Column("address.municipalityCode", _T, "municipality of the visiting, else the postal address"),
        Column("address.placedBy", _T, "post code used for the municipality, if no address names it"),
        Column("tradeRegisterStatus", _T, "the register's own code"),
        Column("status", _T, "status of the business id: «2» for all, without meaning"),
        Column("registrationDate", _D, "entry into the Trade Register"),
        Column("endDate", _D, "end of the registration"),
        Column("lastModified", ColumnKind.INSTANT, "moves without visible change", business=False),
        Column("issuerKey", _T, "name as exchange releases spell it (`connectors.nasdaq.names`)"),
    ),
)

TRADE_REGISTER: Final = "1"
TAX_REGISTERS: Final = ("5", "6", "7")
VAT_REGISTER: Final = "6"
REGISTERS: Final = ("1", "2", "3", "4", "5", "6", "7")
UNREGISTERED, CEASED = "0", "4"
# «3» was seen on an active company; it is treated as registered (docs/formats/fi.md 2.2)
REGISTERED: Final = ("1", "3")
ENTRY_TYPES: Final = ("0", "1", "3", "4", "41", "55", "80", "82", "83", "V80")
COMPANY_NAME, PARALLEL_NAME = "1", "2"
NAME_TYPES: Final = ("1", "2", "3", "4")
SITUATIONS: Final = ("KONK", "SELTILA", "SANE")  # most severe first
VISITING, POSTAL = "1", "2"
SCHEMES: Final = {"TOIMI4": "TOL2025", "TOIMI3": "TOL2008"}
OLD_SETS: Final = ("TOIMI2", "TOIMI")  # TOL 2002 and 1995: the shared schema has no name for them
PUBLIC_LIMITED: Final = "17"
PROPERTY_FORMS: Final = ("2", "10")  # housing and mutual real-estate companies
