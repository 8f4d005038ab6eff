"""companyfacts of connectors.us: dataset, fetch, parse, rows, schema, single."""
