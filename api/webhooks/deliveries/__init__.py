"""deliveries of api.webhooks.

Holds records, replay_progress, replay_repository, repository, requests, serializer, service, test_delivery.
"""
