"""financial_statement_data_sets of connectors.us: dataset, schema."""
