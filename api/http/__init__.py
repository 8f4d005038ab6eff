"""http of api.

Holds access_control, body_validation, client_ip, concurrency_limit, content_negotiation, context, cors,
etags, idempotency, idempotency_repository, json_body, middleware, pagination, problems, query,
release_headers, responses, routing, signed_callback.
"""
