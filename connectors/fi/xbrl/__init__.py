"""Finnish financial statements in XBRL, as filed with the Trade Register (PRH open data, v3).

Does not belong here: statements of listed companies (`connectors.esef`).
"""
