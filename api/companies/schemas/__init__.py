"""OpenAPI schemas of the responses about companies and markets."""
