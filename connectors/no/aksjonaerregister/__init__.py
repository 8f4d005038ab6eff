"""Aksjonærregisteret, the tax administration's register of shareholders: one file a year.

Persons in it are redacted before the file is stored.
"""
