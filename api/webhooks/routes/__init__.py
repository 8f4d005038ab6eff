"""routes of api.webhooks: deliveries, event_types, replays, subscriptions."""
