"""The sandbox's HTTP server: routes of all registries, one day at a time.

Does not belong here: what a registry answers (`sandbox.<cc>.http`).
"""
