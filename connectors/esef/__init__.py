"""ESEF: annual reports of listed issuers from filings.xbrl.org, as one dataset per market.

Belongs here: the index, xBRL-JSON reports, the IFRS concepts behind the shared figures (docs/formats/fi.md 5,
which applies to all markets). Does not belong here: LEI records (`connectors.gleif`). See README.md.
"""
