"""Decides which companies are listed, uniformly for all markets (docs/formats/news.md 3.7), and builds listings.

Belongs here: the venues that count, the rule, adding FIRDS and the issuers of ISINs to a market's
declaration. Does not belong here: reading either of them (`connectors.firds`, `connectors.gleif`), or a
country's own evidence. See README.md.
"""
