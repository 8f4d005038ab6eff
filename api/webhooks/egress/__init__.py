"""One signed request to an endpoint: URL policy, DNS, IP guard, client, payload, and its result."""
