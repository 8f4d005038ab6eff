"""storage of warehouse: atomic_files, duckdb, layout, locks, parallel, parquet, sqlite_bulk."""
