"""observability of api.

Holds access_log, data_health, delivery_health, delivery_health_repository, logging, metrics, metrics_route,
prometheus, redaction, routes.
"""
