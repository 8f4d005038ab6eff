"""The HTTP service: reads releases through `warehouse.reader.reader` and owns the control-plane database.

Belongs here: routes, errors, keys, cursors, the OpenAPI document. Does not belong here: how data is produced
(`pipelines`), stored or queried (`warehouse`), or which process runs what (`firm`).
"""
