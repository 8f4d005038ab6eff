"""The files that a release serves: documents, search table, name index, and their encoding.

Does not belong here: queries (`warehouse.reader.queries`), when they are built (`warehouse.publish`).
"""
