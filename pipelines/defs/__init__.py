"""defs of pipelines.

Holds asset_checks, asset_keys, assets, jobs, partitions, run_recovery_sensor, schedules, sensors.
"""
