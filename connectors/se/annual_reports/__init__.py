"""annual_reports of connectors.se.

Holds concepts, dataset, document, fetch, figures, file_names, mapping, schema.
"""
