"""What issuers publish, through wires, exchanges and official storages: sources that belong to no single market.

Belongs here: reading the wires, tying the versions of one release together, and taking both into a market's
declaration (`market.with_news`). Does not belong here: any country, regulators' own acts, or the comparison
of doors (`pipelines.steps.news`).
"""
