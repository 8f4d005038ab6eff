"""forms345 of connectors.us.ownership: dataset, holdings, parse, schema."""
