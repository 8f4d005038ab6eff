"""Issuers' news through wires, exchanges and official storages: sources that belong to no single market.

Belongs here: reading the wires, grouping the versions of one release, and what they add to a market
(`market.news_contribution`). Does not belong here: any country, regulators' own acts, or the comparison of sources
(`pipelines.transforms.news.dedup`).
"""
