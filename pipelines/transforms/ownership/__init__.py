"""Owners from holdings: one line per holder, survivorship among sources, valid time."""
