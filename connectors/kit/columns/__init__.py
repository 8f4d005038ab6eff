"""Cleaning and parsing of columns as polars expressions: text, dates, numbers, percentages, ISINs.

A value that does not parse is null, never guessed.
"""
