"""Watchlists: named lists of companies that an account keeps, for filters of events and subscriptions."""
