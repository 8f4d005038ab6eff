"""Sandbox: uk."""
