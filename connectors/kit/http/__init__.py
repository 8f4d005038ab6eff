"""http of connectors.kit.

Holds client, conditional_feeds, errors, line_buffer, rate_limit, response, retry, transport.
"""
