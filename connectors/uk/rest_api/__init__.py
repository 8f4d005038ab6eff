"""rest_api of connectors.uk: fetch, filing_history."""
