"""JSON schemas of everything the service answers, for the OpenAPI document, and the contract's examples.

Tests hold real answers against them. Does not belong here: query parameters (`api.queries` declares both
their reading and their schema), or the document that puts it all together (`api.openapi`).
"""
