"""accounts of api.

Holds billing_month, email_address, records, repository, routes, service, tiers, usage_counter,
usage_repository, usage_store.
"""
