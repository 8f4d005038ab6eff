"""konsern of connectors.no: dataset, fetch, holdings, schema."""
