"""finansinspektionen of connectors.se.

Holds fetch, finanscentralen, insider_columns, insider_register, issuers, short_positions.
"""
