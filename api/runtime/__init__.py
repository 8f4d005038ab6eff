"""runtime of api: shared_memory, supervisor, uvicorn_protocol, uvicorn_server."""
