"""Sandbox: no."""
