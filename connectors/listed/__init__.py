"""Who is listed, decided in one place for every market (docs/formats/news.md 3.7), and the lines it is decided by.

Belongs here: the venues that count, the rule, taking FIRDS and the issuers of ISINs into a market's declaration.
Does not belong here: reading either of them (`connectors.firds`, `connectors.gleif`), or a country's own evidence.
See README.md.
"""
