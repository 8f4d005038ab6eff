"""Sandbox: fi."""
