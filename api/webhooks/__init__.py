"""Webhooks: from published events to acknowledged deliveries (docs/contract/contract.md 4.6 to 4.8).

`matching` turns events into deliveries, `worker` makes their attempts through `sending`, `signing` and `addresses`;
`notices` and `mail` tell an owner when that goes wrong. Does not belong here: SQL (`api.db`), routes
(`api.routes`), what an event is (the warehouse's ledger).
"""
