"""Pages for everyone: the front page, the state of the service, problems, documentation and API reference.

Rendered on the server like the dashboard and with its stylesheet; they need no key and no session, set no cookie and
count against no quota. Does not belong here: pages of an account (`api.dashboard`), or the figures themselves
(`api.companies`, `api.observability`).
"""
