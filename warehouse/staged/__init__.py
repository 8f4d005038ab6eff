"""STAGED: rows of each batch as Parquet, with rejects and reasons; snapshots of what a source listed."""
