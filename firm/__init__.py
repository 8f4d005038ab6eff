"""The command line, and the composition root; no other package imports it.

Belongs here: reading settings once, wiring packages together, printing. Does not belong here: rules about data.
"""
