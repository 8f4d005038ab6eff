"""Which filings exist: EDGAR's feed of current filings and its indexes, and which filings are still to fetch.

Does not belong here: reading a filing (`us.filing_headers`, `us.ownership`).
"""
