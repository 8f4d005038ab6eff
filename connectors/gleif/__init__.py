"""GLEIF: who an LEI is, as a dataset that every market's folder makes its own (`dataset.lei_dataset`).

Belongs here: LEI records of any edition, persons out at the door, numbers of the countries' registers. Does not
belong here: which tables of a market name LEIs, or what is linked by them (the market's folder). See README.md.
"""
