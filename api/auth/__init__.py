"""API keys, session tokens, allowed origins, and the service's own secrets.

Does not belong here: checks of a request (`api.http.authenticator`, `api.http.access_control`).
"""
