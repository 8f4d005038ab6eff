"""subscriptions of api.webhooks.

Holds failure_policy, records, repository, requests, serializer, service, state_transitions.
"""
