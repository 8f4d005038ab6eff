"""major_holdings of connectors.nasdaq.

Holds dataset, form, form_row, holder_types, issuer_tables, sentences, text.
"""
