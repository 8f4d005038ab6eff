"""FIRDS, the reference data of instruments of ESMA and the FCA, as datasets that markets make their own.

Belongs here: full files and changes of equities, the lines (ISIN and venue) they are made of. Does not belong here:
whether somebody is listed (`connectors.listed`), or who an LEI is (`connectors.gleif`). See README.md.
"""
