"""notices of connectors.fi: dataset, fetch, mapping, schema."""
