"""`firm mcp`: tools for agents (Model Context Protocol) over standard input and output."""

from __future__ import annotations

from firm.cli_errors import USAGE, fail


def serve_mcp() -> None:
    """Serve company data to an agent, over standard input and output (Model Context Protocol).

    FIRMDATA_BASE_URL is the address of the service, FIRMDATA_API_KEY a key of it.
    """
    from firmdata import AsyncClient
    from firmdata.mcp_server import build_server

    try:
        client = AsyncClient()
    except ValueError as error:
        fail(str(error), USAGE)
    build_server(client).run("stdio")
