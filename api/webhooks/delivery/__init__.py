"""The delivery engine: fan-out, queue, scheduler, worker, retry and failure policy.

Does not belong here: one request (`api.webhooks.egress`), or the log (`api.webhooks.deliveries`).
"""
