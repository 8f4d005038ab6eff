"""Settings of the service, read from the environment once, and the tiers of accounts."""
