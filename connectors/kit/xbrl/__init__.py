"""Figures tagged in accounts: XBRL instances and inline XBRL, contexts, facts.

Does not belong here: which concept means which figure (each dataset's `concepts`).
"""
