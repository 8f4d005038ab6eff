"""openapi of api.

Holds company_number_patterns, description, document, examples, links, operation, problem_responses,
request_headers, response_headers, schema_types.
"""
