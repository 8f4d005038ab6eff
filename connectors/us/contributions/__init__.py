"""What each group of datasets contributes to the market: profiles, feeds, figures, ownership, symbols.

Does not belong here: reading any of them (one folder per dataset), or merging contributions
(`connectors.kit.composition`).
"""
