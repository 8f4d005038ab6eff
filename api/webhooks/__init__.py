"""Webhooks: from published events to acknowledged deliveries (docs/contract/contract.md 4.6 to 4.8).

`delivery.fanout` turns events into deliveries, `delivery.worker` makes their attempts through `egress.http_client`,
`delivery.signing` and `egress.ip_guard`; `email.webhook_notices` and `email.outbox_worker` inform the owner of
failures. Does not belong here: SQL (`api.database`), routes (`api.routes`), the definition of events (the
warehouse's ledger).
"""
