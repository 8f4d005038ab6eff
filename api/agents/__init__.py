"""Tools for agents (Model Context Protocol) over Streamable HTTP."""
