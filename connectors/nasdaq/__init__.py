"""Releases of the Nasdaq exchanges, which several countries share: one reader, a dataset for each market.

Belongs here: the format of the exchange's news service, names and categories. Does not belong here: any one
country, or which company an issuer's name means (`Jurisdiction.links`).
"""
