"""JSON schemas of all responses, for the OpenAPI document, and the contract's examples.

Tests validate real responses against them. Does not belong here: query parameters (`api.companies.query_params`
declares their parsing and their schema), or the document as a whole (`api.openapi.document`).
"""
