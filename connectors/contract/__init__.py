"""What a connector declares and hands over: contributions to a market, datasets, files, batches.

Belongs here: the types between connectors and pipelines. Does not belong here: tools for reading
(`connectors.kit`), or any one source.
"""
