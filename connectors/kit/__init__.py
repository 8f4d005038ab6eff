"""What every connector needs: fetching, opening, splitting and strict reading of registry files.

http, exchange, bodies, retry, limits, errors   polite fetching, checked before it is believed
formats, archives, zips, names, guarded         what bytes are; safe members of zip, gzip and tar
readable, streams                               what a redaction looks through, and what it gives
staged, unreadable                              staged tables, batches, rejects, signals, splitting of pieces
tabular, ragged, textual                        CSV as text columns, every row read or rejected with its line
strict, record, known, chunks, twice            JSON and NDJSON records, nothing dropped unseen
codes, text                                     code lists of a package; cleaning as polars expressions
facts, ixbrl, xbrl and theirs                   figures tagged in accounts

Does not belong here: names, addresses, codes or columns of one registry (`connectors/<cc>`), and storage.
"""
