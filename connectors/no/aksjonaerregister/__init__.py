"""aksjonaerregister of connectors.no: dataset, holdings, redact, schema."""
