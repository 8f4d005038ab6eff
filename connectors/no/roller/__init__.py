"""Roller, the roles of Enhetsregisteret: partners, proprietors and head offices as owners.

Persons are redacted before a file is stored.
"""
