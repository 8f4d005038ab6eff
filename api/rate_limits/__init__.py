"""Burst limits and monthly quotas of accounts, and limits per client address."""
