"""settings of api: billing, env, service, webhooks."""
