"""Acts of financial regulators: sanctions, suits, suspensions and warnings, and which company each is about.

Belongs here: one module per authority, what they share, and `market.with_acts`, which takes them into a market's
declaration. Does not belong here: any country's register, or which acts are events (`pipelines`).
"""
