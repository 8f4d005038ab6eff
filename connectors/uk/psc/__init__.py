"""PSC, persons with significant control: the daily snapshot, and lists of single companies.

Dates of birth, addresses and other personal data are redacted before a file is stored.
"""
