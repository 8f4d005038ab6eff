"""archive of connectors.kit.

Holds bounded_stream, member_names, members, unchanged_members, unreadable_stream, zip.
"""
