"""FIRDS, the instrument reference data of ESMA and the FCA, as two datasets per market.

Belongs here: full files and changes of equities, and the lines (ISIN and venue) computed from them. Does not
belong here: whether a company is listed (`connectors.listings`), or LEI records (`connectors.gleif`). See
README.md.
"""
