"""companies of api: lookup, openapi, query_params, routes, schemas, search_request."""
