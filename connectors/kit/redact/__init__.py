"""redact of connectors.kit: remove_records, streams, text."""
