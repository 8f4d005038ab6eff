"""ESEF: annual reports of listed issuers from filings.xbrl.org, as a dataset that every market makes its own.

Belongs here: the index, xBRL-JSON reports, the IFRS concepts behind the shared figures (docs/formats/fi.md 5, which
holds for all markets). Does not belong here: who an LEI is (`connectors.gleif`). See README.md.
"""
