"""Companies and markets: profile, search, financials, owners, events, read from the current release.

Does not belong here: queries (`warehouse.reader`).
"""
