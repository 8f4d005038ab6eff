"""Client of the Firmdata API, for scripts (`Client`) and for asyncio (`AsyncClient`).

with firmdata.Client() as client:
    company = client.companies.get("firm:SE:5599999991")
    for year in client.companies.financials(company.id, period_type="annual"):
        print(year.period, year.revenue, year.currency)
"""

from firmdata import models, webhooks
from firmdata.async_client import AsyncClient
from firmdata.client import Client
from firmdata.errors import ApiError, ConnectionFailedError, FirmdataError
from firmdata.pages import AsyncPages, Pages

__all__ = [
    "ApiError",
    "AsyncClient",
    "AsyncPages",
    "Client",
    "ConnectionFailedError",
    "FirmdataError",
    "Pages",
    "models",
    "webhooks",
]
