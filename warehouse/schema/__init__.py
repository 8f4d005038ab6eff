"""The leaf everybody imports: tables, identifiers, codes and deterministic ids, as plain declarations.

Belongs here: what a column is called, means and may hold; how a company number is written; how an id is made.
Does not belong here: any engine. `warehouse.render` turns these declarations into polars schemas, DuckDB DDL,
checks and the data dictionary. This package imports nothing of ours and, python-stdnum aside, nothing outside.
"""
