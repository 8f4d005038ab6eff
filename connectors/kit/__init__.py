"""Shared tools of all connectors: fetching, opening, splitting and strict reading of registry files.

http                        polite fetching, content checked before it is accepted
formats, archive            format detection; safe members of zip, gzip and tar
csv, json, xml, feeds       strict readers: every record is read, or rejected with a reason
columns, code_lists         cleaning as polars expressions; code lists of a package
currencies                  codes of currencies, withdrawn ones included
xbrl                        figures tagged in accounts
redact                      removal of personal data and of erased subjects from files
staging                     staged tables, batches, rejects, signals, splitting of pieces
composition                 a market as the merge of its contributions
holdings_history            dated statements of holders as rows of HOLDINGS
name_keys, status_rules     keys of links by name; decision tables of statuses

Does not belong here: names, addresses, codes or columns of one registry (`connectors/<cc>`), and storage.
"""
