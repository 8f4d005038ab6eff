"""Tools of all stores: atomic files, locks, layout of the data root, DuckDB, Parquet, SQLite."""
