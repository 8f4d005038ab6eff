"""enheter of connectors.no.

Holds dataset, fetch_bulk, fetch_single, parse_columns, parse_csv, parse_json, rows, schema, single, structs.
"""
