"""Models of the responses about companies and markets, and of the bodies of deliveries."""

from typing import Final

from api.companies.schemas import companies, events, markets

COMPANY_MODELS: Final = (
    companies.Company,
    companies.CompanySelection,
    companies.CompanyList,
    companies.ProfileSource,
    companies.PostalAddress,
    companies.FinancialPeriod,
    companies.FigureSource,
    companies.FinancialsList,
    companies.Owner,
    companies.HoldingSource,
    companies.OwnershipList,
    events.EventSource,
    events.ChangedFigure,
    *(model for kind in events.KINDS.values() for model in (kind.happened, kind.data, kind.webhook)),
    events.Event,
    events.EventList,
)
MARKET_MODELS: Final = (markets.Dataset, markets.RuleWithoutData, markets.Market, markets.MarketList)
