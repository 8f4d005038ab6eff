"""Wires and regulators as the sandbox plays them: feeds and pages, and the expected news and acts.

Does not belong here: which releases exist (`companies.releases`).
"""
