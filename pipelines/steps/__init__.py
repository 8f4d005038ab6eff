"""Pure functions over polars frames: shared tables in, derived tables and event rows out.

No I/O, no clock, no Dagster, no database, no connector. What a step must know about time or history comes
in as an argument.
"""
