"""Versions of financial statements, their periods, and filings that several sources announce."""
