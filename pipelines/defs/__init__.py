"""Dagster's definitions: assets and their checks, jobs, schedules, sensors, the workspace as a resource.

Does not belong here: what a step does (`steps`), or composing them (`definitions_builder`).
"""
