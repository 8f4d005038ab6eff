"""routes of api.companies: events, financials, markets, ownership, profile, search."""
