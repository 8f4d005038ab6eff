"""Queries of a release: one function per query. All SQL of the serving side is in this package.

Does not belong here: which release is read (`reader`), how the file is written (`serving`), HTTP (`api`).
"""
