"""accounts of connectors.uk.

Holds concepts, dataset, dimensions, document, fetch, figures, mapping, periods, schema, total_assets.
"""
