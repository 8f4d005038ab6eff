"""The command line: the only place that composes everything. Nobody imports it.

Belongs here: reading settings once, wiring rooms together, printing. Does not belong here: rules about data.
"""
