"""api of connectors.se: dataset, fetch, redact, schema, statements."""
