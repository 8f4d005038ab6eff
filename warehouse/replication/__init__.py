"""Replication between machines through an object store (S3 API): releases, exports, and the state of markets.

Each machine works on its own disk, which is a cache of the store: files are fetched and checked before use.
Imports neither polars nor DuckDB, as the API fetches releases too. Does not belong here: the content of files.
"""
