"""The dashboard: pages on which customers sign in, make keys, see what they have used, and look after webhooks.

Plain HTML by Jinja, one stylesheet, no script: everything is a link or a form. Does not belong here: rules about
accounts and keys (`api.accounts`), SQL (`api.db`), limits (`api.limits`).
"""
