"""Sandbox: news."""
