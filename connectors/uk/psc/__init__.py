"""psc of connectors.uk.

Holds dataset, erase, holdings, natures_of_control, parse_bodies, parse_snapshot, redact, rows, schema,
signals.
"""
