"""Checks of `firm doctor`, one module per subject."""
