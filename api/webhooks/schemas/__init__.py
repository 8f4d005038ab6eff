"""OpenAPI schemas of subscriptions and deliveries, and of the requests sent to receivers."""
