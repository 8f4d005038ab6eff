"""query of api.http: params, types."""
