"""level2 of connectors.gleif: dataset, holdings, schema."""
