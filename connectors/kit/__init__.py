"""Shared tools of all connectors: fetching, opening, splitting and strict reading of registry files.

http, exchange, bodies, retry, limits, errors   polite fetching, content checked before it is accepted
formats, archives, zips, names, guarded         format detection; safe members of zip, gzip and tar
readable, streams                               input and output streams of redactions
staged, unreadable                              staged tables, batches, rejects, signals, splitting of pieces
tabular, ragged, textual                        CSV as text columns, every row read or rejected with its line
strict, record, known, chunks, twice            JSON and NDJSON records, unknown keys reported
codes, text                                     code lists of a package; cleaning as polars expressions
facts, ixbrl, xbrl and their helpers            figures tagged in accounts

Does not belong here: names, addresses, codes or columns of one registry (`connectors/<cc>`), and storage.
"""
