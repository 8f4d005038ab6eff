"""pagination of api.http: cursors, responses."""
