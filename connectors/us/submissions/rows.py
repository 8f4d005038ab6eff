"""Converts submissions to rows of `us_filer` and `us_filed`, many filers to a batch.

Belongs here: one filer to one row, its filings to columns, counting unknown values. Does not belong here: the
structs of a body (`structs`), or the mapping of the rows (`profile.companies`, `profile.status`, `filings`).
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from datetime import date
from typing import Any, Final

import polars as pl

from connectors.contract.pieces import Batch
from connectors.gleif.level1.registration_numbers import is_lei
from connectors.kit import staging
from connectors.kit.staging import SignalCounter
from connectors.us import form_types
from connectors.us.code_lists import INDUSTRIES, PLACES
from connectors.us.filing_days import OLDEST, is_filing_day, newest_filing_day
from connectors.us.firm_names import is_firm_name
from connectors.us.form_types import AMENDED, PERIODIC, is_own_form
from connectors.us.register import central_index_key, normalise_accessions
from connectors.us.submissions import schema as f
from connectors.us.submissions import status_evidence
from connectors.us.submissions.structs import (
    FilerAddress,
    FilerProfile,
    FilingsPage,
    FormerName,
    scalar_flag,
    scalar_text,
)

Rejected = tuple[object, str, object]

FULL_BATCH: Final = 200_000  # filings
ENTITY_TYPES: Final = ("operating", "investment", "other")
EXCHANGES: Final = ("Nasdaq", "NYSE", "OTC", "CBOE")
_ZERO: Final = "0"  # an EIN of zeros only is no EIN
_NO_SIC: Final = "0000"
_RAW: Final = pl.Schema(
    {name: pl.String() for name in (f.CIK, f.ACCESSION, f.FORM, f.FILED, f.PERIOD, f.ITEMS)}
    | {name: pl.String() for name in (f.FILE_NUMBER, f.DOCUMENT, f.IS_XBRL)}
)


class SubmissionCollector(staging.BatchBuilder):
    """Collects rows of both tables until there are enough for a batch."""

    def __init__(self, dataset: str, today: date) -> None:
        super().__init__(dataset)
        self._today = today
        self._filers: list[dict[str, Any]] = []
        self._endings: list[dict[str, Any]] = []
        self._filed: dict[str, list[Any]] = {name: [] for name in _RAW}

    def filer(self, filer: FilerProfile) -> None:
        """Adds a profile with its newest filings. An individual's filings are about others and are left out."""
        cik = central_index_key(filer.cik)
        name = scalar_text(filer.name)
        if cik is None or name is None:
            self.reject(filer.cik, "a filer without a CIK or a name")
            return
        row = _FilerRowBuilder(self.tally, cik, self._today).of(filer, name)
        self._filers.append(row)
        if row["is_person"]:
            return
        self.page(cik, filer.filings.recent)
        relevant = status_evidence.relevant_filings(filer.filings.recent)
        listed = [one for one in relevant if is_filing_day(one.filed, self._today)]
        row["aged"] = status_evidence.lapsed_status_facts(listed, self._today)
        self._endings += [
            {f.CIK: cik, f.ACCESSION: one.accession, f.FORM: one.form, f.FILED: one.filed}
            for one in status_evidence.end_filings_to_read(listed, self._today)
        ]

    def page(self, cik: str, page: FilingsPage) -> None:
        """Adds the filings of one page."""
        count = len(page.accessionNumber)
        columns = {
            f.CIK: [cik] * count,
            f.ACCESSION: page.accessionNumber,
            f.FORM: page.form,
            f.FILED: page.filingDate,
            f.PERIOD: page.reportDate or [None] * count,
            f.ITEMS: page.items or [None] * count,
            f.FILE_NUMBER: page.fileNumber or [None] * count,
            f.DOCUMENT: page.primaryDocument or [None] * count,
            f.IS_XBRL: [None if value is None else str(value) for value in page.isXBRL] or [None] * count,
        }
        for column, values in columns.items():
            self._filed[column].extend(values)

    @property
    def is_full(self) -> bool:
        return len(self._filed[f.ACCESSION]) >= FULL_BATCH

    def batches(self) -> Iterator[Batch]:
        """Yields the collected rows as batches and clears them."""
        raw = pl.DataFrame(self._filed, schema=_RAW)
        filed, bad = _filing_rows(raw, self.tally, self._today)
        for rejected in bad:
            self.reject(*rejected)
        yield self.build(f.FILERS, self._filers)
        yield self.build(f.FILED_TABLE, filed)
        yield self.build(f.ENDINGS, self._endings)
        self.__init__(self.tally.dataset, self._today)


def _filing_rows(raw: pl.DataFrame, tally: SignalCounter, today: date) -> tuple[pl.DataFrame, list[Rejected]]:
    """Typed rows; those without accession number, form or possible day of filing are rejected."""
    filed = _parse_day(f.FILED)
    typed = raw.with_columns(
        normalise_accessions(pl.col(f.ACCESSION)).alias("_accession"),
        pl.when(filed.is_between(OLDEST, newest_filing_day(today))).then(filed).alias("_filed"),
        _report_period(filed).alias("_period"),
        _null_if_blank(f.FORM),
        _null_if_blank(f.FILE_NUMBER),
        _null_if_blank(f.DOCUMENT).str.replace(r"^xsl[^/]*/", ""),  # the viewer's page, not the document
        pl.col(f.ITEMS).fill_null("").str.extract_all(r"[^,\s]+"),
        (pl.col(f.IS_XBRL).is_in(["1", "True"])).alias(f.IS_XBRL),
    )
    strange = typed.filter(pl.col("_period").is_null() & (pl.col(f.PERIOD).str.strip_chars() != ""))
    for cik, value in strange.select(f.CIK, f.PERIOD).iter_rows():
        tally.add("unreadable_value", f"reportDate {value}", cik)
    holds = pl.all_horizontal(pl.col("_accession", "_filed", f.FORM).is_not_null())
    reason = "a filing without accession number, form or day of filing"
    bad: list[Rejected] = [
        (cik, reason, f"{accession} {filed}")
        for cik, accession, filed in typed.filter(~holds).select(f.CIK, f.ACCESSION, f.FILED).iter_rows()
    ]
    rows = typed.filter(holds).with_columns(
        pl.col("_accession").alias(f.ACCESSION), pl.col("_filed").alias(f.FILED), pl.col("_period").alias(f.PERIOD)
    )
    same = pl.struct(f.FORM, f.FILED).n_unique().over(f.CIK, f.ACCESSION)
    for cik, accession in rows.filter(same > 1).select(f.CIK, f.ACCESSION).unique(maintain_order=True).iter_rows():
        tally.add("several_filings", accession, cik)  # the last of them is kept
    once = rows.unique([f.CIK, f.ACCESSION], keep="last", maintain_order=True)
    return once.select(f.FILED_TABLE.names), bad


def _report_period(filed: pl.Expr) -> pl.Expr:
    """The day that a filing reports on; null for an impossible one, as one after the day of a periodic report."""
    period = _parse_day(f.PERIOD)
    is_after = form_types.is_in_family(pl.col(f.FORM), form_types.PERIODIC) & (period > filed)
    return pl.when((period >= OLDEST) & ~is_after.fill_null(value=False)).then(period)


def _parse_day(column: str) -> pl.Expr:
    return pl.col(column).str.slice(0, 10).str.to_date("%Y-%m-%d", strict=False)


def _null_if_blank(column: str) -> pl.Expr:
    stripped = pl.col(column).str.strip_chars()
    return pl.when(~stripped.is_in(["", "None"])).then(stripped).alias(column)


class _FilerRowBuilder:
    """Converts one filer to its row; unknown values are counted under its CIK."""

    def __init__(self, tally: SignalCounter, cik: str, today: date) -> None:
        self._tally = tally
        self._cik = cik
        self._today = today

    def of(self, filer: FilerProfile, name: str) -> dict[str, Any]:
        person = is_person(filer)
        page = filer.filings.recent
        days = [
            day
            for value in (*page.filingDate, *(file.filingFrom for file in filer.filings.files or []))
            if (day := self._filing_day(value))
        ]
        return {
            f.CIK: self._cik,
            f.NAME: name,
            "entity_type": self._checked_code(scalar_text(filer.entityType), ENTITY_TYPES, "entityType"),
            "is_person": person,
            "sic": self._checked_code(_sic_code(filer), INDUSTRIES, "sic"),
            "sic_label": scalar_text(filer.sicDescription),
            "owns_reported": scalar_flag(filer.insiderTransactionForOwnerExists),
            "has_insiders": scalar_flag(filer.insiderTransactionForIssuerExists),
            **self._symbol_columns(filer),
            "ein": _tax_number(filer),
            "lei": self._lei(filer),
            "website": scalar_text(filer.website),
            "categories": [part.strip() for part in (scalar_text(filer.category) or "").split("<br>") if part.strip()],
            "year_end": scalar_text(filer.fiscalYearEnd),
            "incorporated_in": self._checked_code(
                scalar_text(filer.stateOfIncorporation), PLACES, "stateOfIncorporation"
            ),
            **({} if may_be_individual(filer) else self._address_columns(filer)),
            "former_names": former_names(filer.formerNames or []),
            "first_filed": min(days, default=None),
            "last_filed": max(days, default=None),
            "pages": sorted(file.name for file in filer.filings.files or []),
            "aged": [],
        }

    def _checked_code(self, code: str | None, known: Container[str], subject: str) -> str | None:
        if code is not None and code not in known:
            self._tally.add("unknown_code", f"{subject} {code}", self._cik)
        return code

    def _symbol_columns(self, filer: FilerProfile) -> dict[str, list[str]]:
        """Symbols in alphabetical order: the order of the source changes without a real change."""
        tickers, exchanges = filer.tickers or [], filer.exchanges or []
        if len(tickers) != len(exchanges):
            self._tally.add("unequal_lists", "tickers and exchanges", self._cik)
            exchanges = [None] * len(tickers)
        pairs: dict[str, str] = {}
        for ticker, exchange in zip(tickers, exchanges, strict=True):
            symbol, stated = scalar_text(ticker), scalar_text(exchange) or ""
            if symbol is not None and pairs.setdefault(symbol, stated) != stated:
                self._tally.add("several_exchanges", symbol, self._cik)
                pairs[symbol] = ""  # nothing says which of them it is
        for exchange in pairs.values():
            self._checked_code(exchange or None, EXCHANGES, "exchange")
        return {"tickers": sorted(pairs), "exchanges": [pairs[symbol] for symbol in sorted(pairs)]}

    def _address_columns(self, filer: FilerProfile) -> dict[str, Any]:
        """The business address; if it has neither city nor place, the mailing address."""
        addresses = filer.addresses
        business = (addresses and addresses.business) or FilerAddress()
        mailing = (addresses and addresses.mailing) or FilerAddress()
        used = business if scalar_text(business.city) or _place_code(business) else mailing
        lines = [line for value in (used.street1, used.street2) if (line := scalar_text(value))]
        return {
            "lines": lines or None,
            "city": scalar_text(used.city),
            "place": self._checked_code(_place_code(used), PLACES, "stateOrCountry"),
            "postal_code": scalar_text(used.zipCode),
        }

    def _lei(self, filer: FilerProfile) -> str | None:
        lei = scalar_text(filer.lei)
        if lei is None or is_lei(lei):
            return lei
        self._tally.add("unreadable_value", f"lei {lei}", self._cik)
        return None

    def _filing_day(self, value: str | None) -> date | None:
        try:
            day = date.fromisoformat(value[:10]) if value else None
        except ValueError:
            day = None
        if day is not None and is_filing_day(day, self._today):
            return day
        if value:
            self._tally.add("unreadable_value", f"filingDate {value}", self._cik)
        return None


def is_person(filer: FilerProfile) -> bool:
    """An individual: no kind, industry, tax number or fiscal year, and an owner of others' securities.

    One with a fiscal year, or a company's current report in the list, is an individual too if the name has no mark of a
    firm, no insider reports on its securities, and it reports on no period.
    """
    if not _lacks_company_marks(filer) or scalar_flag(filer.insiderTransactionForOwnerExists) is not True:
        return False
    if may_be_individual(filer) and scalar_text(filer.ein) is None and scalar_text(filer.fiscalYearEnd) is None:
        return True  # zeros replace a tax number that a company lacks
    is_issuer = scalar_flag(filer.insiderTransactionForIssuerExists) is True
    reports = any(form and form.removesuffix(AMENDED) in PERIODIC for form in filer.filings.recent.form)
    is_firm = is_issuer or reports or is_firm_name(scalar_text(filer.name) or "")
    return not is_firm and scalar_text(filer.ein) is None


def may_be_individual(filer: FilerProfile) -> bool:
    """A filer without any mark of a company: an individual, or a holder with an address that is not needed either.

    An individual who only files about large stakes has no insider's mark, and some have a fiscal year end:
    personal data is kept of neither.
    """
    return _lacks_company_marks(filer) and not any(is_own_form(form) for form in filer.filings.recent.form)


def _lacks_company_marks(filer: FilerProfile) -> bool:
    return (
        scalar_text(filer.entityType) in (None, "other")
        and _sic_code(filer) is None
        and _tax_number(filer) is None
        and not filer.tickers
    )


def former_names(names: list[FormerName]) -> list[str]:
    """Former names without their unstable time of day: newest first, without case-insensitive duplicates."""
    dated = sorted(
        ((name.to or "")[:10], (name.since or "")[:10], written)
        for name in names
        if (written := scalar_text(name.name))
    )
    return list({name.casefold(): name for _, _, name in reversed(dated)}.values())


def _place_code(address: FilerAddress) -> str | None:
    """The EDGAR place code; newer foreign addresses have it as the code of their country alone."""
    return scalar_text(address.stateOrCountry) or scalar_text(address.countryCode)


def _tax_number(filer: FilerProfile) -> str | None:
    ein = scalar_text(filer.ein)
    return ein if ein and ein.strip(_ZERO) else None


def _sic_code(filer: FilerProfile) -> str | None:
    """The four digits of the code; numbers lose their leading zero."""
    sic = scalar_text(filer.sic)
    code = sic.zfill(len(_NO_SIC)) if sic is not None and sic.isdecimal() else sic
    return None if code == _NO_SIC else code
