"""Notices of Finland's Trade Register (PRH open data, v3): which entries were registered, and when.

Does not belong here: the company's own fields in the same responses (`fi.ytj`).
"""
