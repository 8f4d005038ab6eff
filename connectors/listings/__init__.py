"""Decides which companies are listed, uniformly for all markets (docs/formats/news.md 3.7), and builds listings.

Belongs here: the venues that count, the rule, and the contributions of FIRDS and of the rule to a market. Does not
belong here: reading FIRDS or ISINs (`connectors.firds`, `connectors.gleif`), or a country's own evidence. See
README.md.
"""
