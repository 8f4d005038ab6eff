"""Erasure of subjects: tombstones that keep them out, and their removal from histories, ledger and releases.

Does not belong here: the order of the steps (`pipelines.erasure`).
"""
