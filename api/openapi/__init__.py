"""What OpenAPI texts of operations are made of: schema types, headers, links, problems, examples.

Does not belong here: the operations, which lie beside their routes, or the document (`api.openapi_document`).
"""
