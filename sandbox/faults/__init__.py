"""Sandbox: faults."""
