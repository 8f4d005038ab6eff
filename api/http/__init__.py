"""HTTP without features: middleware, routing, access control, bodies, queries, responses.

Does not belong here: what an operation does (the packages of the features).
"""
