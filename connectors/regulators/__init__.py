"""Acts of financial regulators: sanctions, suits, suspensions and warnings, and the companies they are about.

Belongs here: one module per kind of source, shared code, and `market.acts_contribution`, what they add to a
market. Does not belong here: any country's register, or which acts are events (`pipelines`).
"""
