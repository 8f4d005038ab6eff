"""Removing parts of files before they are stored: personal data, and records of erased subjects.

Does not belong here: which parts of a source are personal (each dataset's `redact`).
"""
