"""Logs, metrics, health and readiness of the running service."""
