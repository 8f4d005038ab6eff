"""Routes of webhooks, one module per resource."""
