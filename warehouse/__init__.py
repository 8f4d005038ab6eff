"""Storage, publication and reading of the data.

Belongs here: the RAW archive, the STAGED lake, history, the event ledger, releases and their reader.
Does not belong here: anything that knows a registry (`connectors`), a schedule (`pipelines`) or HTTP (`api`).
"""
