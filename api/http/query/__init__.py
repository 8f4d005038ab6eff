"""Strict parsing of query strings by declared parameters."""
