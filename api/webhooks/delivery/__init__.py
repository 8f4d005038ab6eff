"""delivery of api.webhooks.

Holds attempt_repository, attempt_result, endpoint_lease_repository, fanout, fanout_repository,
leased_endpoints, payload, queue_repository, rate_limit, records, retry_policy, scheduler, signing, sync,
worker.
"""
