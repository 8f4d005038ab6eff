"""Sandbox: http."""
