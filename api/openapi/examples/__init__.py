"""examples of api.openapi: companies, events, problems, webhooks."""
