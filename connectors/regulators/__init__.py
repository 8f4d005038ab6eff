"""Acts of financial regulators: sanctions, suits, suspensions and warnings, and the companies they are about.

Belongs here: one module per authority, shared code, and `market.with_acts`, which adds them to a market's
declaration. Does not belong here: any country's register, or which acts are events (`pipelines`).
"""
