"""roller of connectors.no: dataset, holdings, redact, rows, schema."""
