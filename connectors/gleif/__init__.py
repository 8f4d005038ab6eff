"""GLEIF: LEI records, consolidating parents and ISINs, as contributions to each market (`market`).

Belongs here: LEI records of any format, removal of persons before the archive, numbers of the countries'
registers. Does not belong here: which tables of a market name LEIs, or are linked by them (the market's
folder). See README.md.
"""
