"""schedule13 of connectors.us.ownership.

Holds checks, dataset, holdings, latest_statements, parse_text, parse_xml, rows, schema.
"""
