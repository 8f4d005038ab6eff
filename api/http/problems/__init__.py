"""problems of api.http: catalogue, problem."""
