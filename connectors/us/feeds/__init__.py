"""feeds of connectors.us.

Holds current_filings, current_filings_fetch, edgar_index, edgar_index_fetch, group, schema.
"""
