"""bulk of connectors.se.

Holds bolagsverket, bolagsverket_schema, bolagsverket_statements, fetch, ordinals, parse, redact, scb,
scb_schema, scb_statements.
"""
