"""Webhooks: from published events to acknowledged deliveries (docs/contract/contract.md 4.6 to 4.8).

`delivery.fanout` turns events into deliveries, `delivery.worker` makes their attempts through `egress.http_client`,
`egress.signing` and `egress.ip_guard`; `api.email` informs the owner of failures. Does not belong here: tables
(`api.database`), or the definition of events (the warehouse's ledger).
"""
