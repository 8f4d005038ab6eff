"""major_holdings of connectors.se.

Holds dataset, dates, fetch, holder_names, mapping, parse, percentage_roles, percentages, sentences, tables.
"""
