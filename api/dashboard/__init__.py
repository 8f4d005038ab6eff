"""The dashboard: pages for customers to sign in, create keys, see their usage, and manage webhooks.

Plain HTML by Jinja, one stylesheet, no script: everything is a link or a form. Does not belong here: rules
about accounts and keys (`api.accounts.service`), SQL (`api.database`), limits (`api.rate_limits.limiter`).
"""
