"""Sandbox: us."""
