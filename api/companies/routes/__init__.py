"""Routes of companies and markets, one module per resource."""
