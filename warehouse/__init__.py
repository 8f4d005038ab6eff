"""What is stored, how it is published and how it is read.

Belongs here: the RAW archive, the STAGED lake, history, the event ledger, releases and their reader.
Does not belong here: anything that knows a registry (`connectors`), a schedule (`pipelines`) or HTTP (`api`).
"""
