"""form13f of connectors.us.ownership: dataset, holdings, parse, schema."""
