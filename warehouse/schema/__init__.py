"""Declarations shared by all packages: tables, identifiers, codes and deterministic ids.

Belongs here: name, meaning and allowed values of columns; the markets as their folders declare them; company
numbers; how ids are made. Does not belong here: any engine. `warehouse.schema_render` turns these declarations into
polars schemas, DuckDB DDL, checks and the data dictionary. This package imports no other package of the project,
and of libraries msgspec alone.
"""
