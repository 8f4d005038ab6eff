"""ownership of connectors.us.

Holds fetch, files, form13f, forms345, full_submission, group, holder_types, html_text, parse_values, redact,
schedule13, shares_outstanding, xml.
"""
