"""What travels between machines, through an object store (S3 API): releases, exports, and the state of markets.

A machine works on its own disk, which for the store is a cache: what is there is fetched, checked and only then
used. Imports neither polars nor DuckDB, for the service fetches releases too. Does not belong here: what files
hold.
"""
