"""Attacks on a running `firm serve`: `python -m tests.attacks bystander`, `fuzz` and `doubling`.

`bystander` attacks in turn (`attacks`) while a second client reads profiles: its p99 beside its quiet one, and the memory of
the service. `fuzz` sends invented requests and torn bytes for as long as told (`fuzzing`). `doubling` times what parses a
client's input at one and at two lengths. Figures are in `SECURITY.md`. Does not belong here: tests of limits
(`tests/api/runtime/test_limits.py`).
"""
