"""Releases of the Nasdaq exchanges, which several countries share: one reader, a dataset for each market.

Belongs here: the format of the exchange's news service, names and categories. Does not belong here: any one
country, or matching an issuer's name to a company (`Jurisdiction.links`).
"""
