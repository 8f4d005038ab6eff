"""underenheter of connectors.no: dataset, rows, schema."""
