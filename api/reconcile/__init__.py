"""Reconciliation of other people's tables with companies, for OpenRefine and its like."""
