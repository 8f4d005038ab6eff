"""Webhooks: from published events to acknowledged deliveries (docs/contract/contract.md 4.6 to 4.8).

`matching` turns events into deliveries, `worker` makes their attempts through `sending`, `signing` and
`addresses`; `notices` and `mail` inform the owner of failures. Does not belong here: SQL (`api.db`), routes
(`api.routes`), the definition of events (the warehouse's ledger).
"""
