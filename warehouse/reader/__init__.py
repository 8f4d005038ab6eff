"""Reading a release: which one is current, leases on it, its queries.

Imports no polars, no Arrow and no writer, so that a process that only serves stays small.
"""
