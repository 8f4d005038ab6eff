"""streaming_api of connectors.uk: connection, datasets, events, redact, rows, schema."""
