"""submissions of connectors.us: dataset, fetch, redact, rows, schema, single, structs."""
