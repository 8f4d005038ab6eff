"""Sandbox: shared."""
