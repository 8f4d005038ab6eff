"""Pure functions over polars frames: shared tables in, derived tables and event rows out.

No I/O, no clock, no Dagster, no database, no connector. Anything about time or history that a step needs is
an argument.
"""
