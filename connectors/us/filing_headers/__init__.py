"""filing_headers of connectors.us.

Holds dataset, fetch, form15, form25, form8k, index_page, news_and_notices, schema, sgml_header.
"""
