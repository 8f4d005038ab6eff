"""json of connectors.kit: chunks, duplicate_keys, known_keys, record, structs."""
