"""Processes and sockets: the uvicorn server, and the supervisor of several workers."""
