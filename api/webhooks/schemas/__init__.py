"""schemas of api.webhooks: deliveries, payloads, subscriptions."""
