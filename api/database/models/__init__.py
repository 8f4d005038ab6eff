"""models of api.database: accounts, webhooks."""
