"""What the settings of every area have in common: reading them by pydantic-settings, and the error of an invalid one.

Does not belong here: the settings themselves (`pipelines.settings`, `api.settings`, `warehouse.replication.settings`).
"""
