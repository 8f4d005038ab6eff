"""History of a market in DuckDB: SCD2 merges on valid time and known time, current records, links to companies."""
