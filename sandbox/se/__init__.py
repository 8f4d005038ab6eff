"""Sandbox: se."""
