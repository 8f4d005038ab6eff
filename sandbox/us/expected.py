"""Expected output for US filings: news, notices, quarters, holders.

See docs/contract/contract.md 4.3 to 4.6.

Does not belong here: code shared by all markets (`sandbox.expected`, `sandbox.expected_events`).
"""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from typing import Final

from sandbox.model.company import Accounts, Company
from sandbox.model.us import FourthQuarterRestatement, NewsFiled, NoticeFiled, QuarterlyReport, RegisterHolding
from sandbox.shared.expected_rows import EventParts, HolderIdentity, Row, news_event_parts, percentage_owner_row
from warehouse.schema import codes, ids

AUTHORITY: Final = "U.S. Securities and Exchange Commission"
STANDARD: Final = "US-GAAP"
NEWS: Final = {
    "2.02": ("Results of Operations and Financial Condition", "earnings"),
    "7.01": ("Regulation FD Disclosure", "disclosure"),
    "8.01": ("Other Events", "other"),
}
NOTICES: Final = {
    "1.03": "Bankruptcy or Receivership",
    "3.01": "Notice of Delisting or Failure to Satisfy a Continued Listing Rule or Standard; Transfer of Listing",
    "5.01": "Changes in Control of Registrant",
}
FORMS: Final = {
    "10-K/A": "Amendment of an annual report (10-K/A)",
    "NT 10-K": "Notification of late filing of an annual report (NT 10-K)",
    "25-NSE": "Removal of a class of securities from listing by its exchange (Form 25-NSE)",
    "15-12G": "Registration ended or reporting suspended for a class of securities (Form 15-12G)",
}
HOLDERS: Final = {"IN": "person", "IA": "company", "PN": "company", "CO": "company", "EP": "fund"}
RESULTS: Final = ("revenue", "operating_result", "net_result")
FILED: Final = (
    *("period", "period_type", "fiscal_year", "fiscal_quarter", "period_start", "period_end", "currency"),
    *("version", "is_consolidated", *codes.FIGURES),
)
_LAST_FILED: Final = 3  # reported quarters; the fourth is derived from the year


def consolidated_rows(rows: list[Row]) -> list[Row]:
    """Facts cover the whole group, comparatives too; there are none for the company alone."""
    groups = {(row["period_start"], row["period_end"]) for row in rows if row["is_consolidated"]}
    kept = [row for row in rows if row["is_consolidated"] or (row["period_start"], row["period_end"]) not in groups]
    return [row | {"is_consolidated": True, "accounting_standard": STANDARD} for row in kept]


def quarter_rows(company: Company) -> list[Row]:
    """Quarters as filed, and the fourth of each year with three known others: the year minus those."""
    filed = [_filed_quarter(interim) for interim in company.american.quarterly_reports]
    return [*filed, *_fourth_quarter_rows(company)]


def _filed_quarter(interim: QuarterlyReport) -> Row:
    revenue, operating, net = interim.results
    return _quarter_row(interim.fiscal_year, interim.quarter, interim.start, interim.end) | {
        "revenue": revenue,
        "operating_result": operating,
        "net_result": net,
        "equity": interim.equity,
        "total_assets": interim.total_assets,
        "version": 1,
        "is_restated": False,
        "derived": [],
        "filed_at": interim.published.isoformat(),
    }


def _quarter_row(year: int, number: int, start: date, end: date) -> Row:
    return {
        "period": f"{year}-Q{number}",
        "period_type": "quarterly",
        "fiscal_year": year,
        "fiscal_quarter": number,
        "period_start": start.isoformat(),
        "period_end": end.isoformat(),
        "currency": "USD",
        "employees": None,
        "is_consolidated": True,
        "accounting_standard": STANDARD,
        "is_comparative": False,
    }


def _fourth_quarter_rows(company: Company) -> list[Row]:
    """Results use the year's first report, since the nine months were not restated later; balances the newest."""
    rows: list[Row] = []
    for third in company.american.quarterly_reports:
        versions = [
            item for item in company.accounts if item.start == third.year_start and not item.is_rounded_to_thousands
        ]
        if third.quarter == _LAST_FILED and versions:
            rows.append(_fourth_quarter_row(third, versions))
    return rows


def _fourth_quarter_row(third: QuarterlyReport, versions: list[Accounts]) -> Row:
    first, newest = versions[0].figures, versions[-1].figures
    year = (first.revenue, first.operating_result, first.net_result)
    results = [None if sum_ is None else sum_ - so_far for sum_, so_far in zip(year, third.so_far, strict=True)]
    balances = {(item.figures.equity, item.figures.total_assets) for item in versions}
    start = third.end + timedelta(days=1)
    return (
        _quarter_row(third.fiscal_year, _LAST_FILED + 1, start, versions[-1].end)
        | dict(zip(RESULTS, results, strict=True))
        | {
            "equity": newest.equity,
            "total_assets": newest.total_assets,
            "version": len(balances),
            "is_restated": len(balances) > 1,
            "derived": list(RESULTS),
            "filed_at": versions[-1].published.isoformat(),
        }
    )


def expected_owners(company: Company) -> list[Row]:
    """Holders by the newest document of each form type, largest first."""
    known = sorted(company.american.holdings.values(), key=_largest_first)
    return [_owner_row(company, holding) for holding in known]


def _largest_first(holding: RegisterHolding) -> tuple[Decimal, str]:
    return -(holding.percent or Decimal(0)), holding.native


def _owner_row(company: Company, holding: RegisterHolding) -> Row:
    party, identity = holding.party, holder_identity(holding)
    own_id = f"firm:US:US{party.cik}" if party.cik and identity.holder_type != "person" else None
    row = percentage_owner_row(company, identity, holding.percent, (party.country, own_id))
    row |= {"pct": row["pct"] if holding.is_lead else None, "basis": holding.basis}
    return row if holding.as_of is None else row | {"as_of": holding.as_of.isoformat()}


def holder_identity(holding: RegisterHolding) -> HolderIdentity:
    """The identity of a holder of a company's shares."""
    return HolderIdentity(holding.register, holding.native, holding.party.name, HOLDERS[holding.party.kind])


Change = NewsFiled | NoticeFiled | QuarterlyReport | FourthQuarterRestatement


def event_parts(company: Company, change: Change) -> EventParts:
    """One event that only this market has."""
    match change:
        case NewsFiled():
            return _news_event_parts(company, change)
        case NoticeFiled():
            return _notice_event_parts(company, change)
        case QuarterlyReport():
            return _interim_event_parts(company, change)
        case FourthQuarterRestatement():
            return _restatement_event_parts(company, change)


def _interim_event_parts(company: Company, interim: QuarterlyReport) -> EventParts:
    core = {name: value for name, value in _filed_quarter(interim).items() if name in FILED}
    event_id = ids.filing_added_id(company.company_id, interim.start, interim.end)
    key = {"period_start": core["period_start"], "period_end": core["period_end"]}
    return event_id, "filing.added", key, {"filing": {"filing_type": "interim_report", **core}}


def _restatement_event_parts(company: Company, change: FourthQuarterRestatement) -> EventParts:
    """The last quarter of a year with restated accounts has another balance."""
    third = next(
        interim
        for interim in company.american.quarterly_reports
        if (interim.fiscal_year, interim.quarter) == (change.fiscal_year, _LAST_FILED)
    )
    start = third.end + timedelta(days=1)
    names = ("equity", "total_assets")
    changed = [
        {"field": name, "previous": before, "current": after}
        for name, before, after in zip(names, change.before, change.after, strict=True)
        if before != after
    ]
    core: Row = {
        "period_start": start.isoformat(),
        "period_end": change.end.isoformat(),
        "period": f"{change.fiscal_year}-Q{_LAST_FILED + 1}",
        "version": 2,
        "previous_version": 1,
        "changed_fields": changed,
    }
    event_id = ids.filing_updated_id(company.company_id, start, change.end, change.accession)
    key = {"period_start": core["period_start"], "period_end": core["period_end"]}
    return event_id, "filing.updated", key | {"document": change.accession}, {"filing": core}


def _news_event_parts(company: Company, change: NewsFiled) -> EventParts:
    """One item: id, type, key and core."""
    told = [NEWS[item] for item in sorted(change.filing.items) if item in NEWS]
    core: Row = {
        "title": "; ".join(title for title, _ in told),
        "summary": None,
        "publisher": "SEC EDGAR",
        "published_at": f"{change.filing.accepted:%Y-%m-%dT%H:%M:%SZ}",
        "categories": [category for _, category in told],
    }
    return news_event_parts(company, ("accession", change.filing.accession), core)


def _notice_event_parts(company: Company, change: NoticeFiled) -> EventParts:
    """One notice: id, type, key and core."""
    items = [NOTICES[item] for item in sorted(change.filing.items) if item in NOTICES]
    core: Row = {
        "authority": AUTHORITY,
        "authority_country": "US",
        "action_type": "announcement",
        "title": FORMS.get(change.filing.form) or "; ".join(items),
    }
    event_id = ids.regulatory_event_id(AUTHORITY, change.filing.accession, company.company_id)
    return event_id, "event.regulatory", {"accession": change.filing.accession}, {"notice": core}
