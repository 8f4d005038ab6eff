"""Accounts and their API keys, administered by the command line and the dashboard."""
