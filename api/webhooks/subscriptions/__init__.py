"""Webhook subscriptions: create, change, pause, delete, rotate secrets."""
