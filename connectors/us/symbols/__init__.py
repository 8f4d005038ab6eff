"""symbols of connectors.us: company_tickers, group, nasdaq_symbol_directory, schema."""
