"""Registries of no single country as the sandbox plays them (ESEF, FIRDS, GLEIF), and what markets share."""
