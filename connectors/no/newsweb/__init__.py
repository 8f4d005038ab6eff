"""newsweb of connectors.no.

Holds dataset, fetch, major_holdings, mapping, news, period_words, periods, redact, rows, schema.
"""
