"""Processes and sockets: the uvicorn server, its protocol, and the supervisor of several workers."""
