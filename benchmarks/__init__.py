"""Benchmarks beside their peers, in the same run.

Each `bench_*.py` has `run(...)` that alternates ours and the peer and returns a list of `dict`s; ratios are medians
of alternated rounds, because a machine's speed drifts by half between minutes. Not tests: nothing asserts a time.
"""
