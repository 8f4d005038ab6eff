"""level1 of connectors.gleif: dataset, parse, parse_csv, redact, registration_numbers, schema."""
