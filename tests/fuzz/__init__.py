"""Fuzzing of every parser: `python -m tests.fuzz [words…]`, an hour of it under `make fuzz`.

A target is a dataset as it is declared (recognise, redact, split, read; then its rows' way to the shared tables, and
its body without an erased name) or a parser of `connectors.kit`; a dataset is one from the moment it stands in
`connectors.JURISDICTIONS`. Cases are made from seeds (`seeds`) by mutators that know formats (`mutating`, `shapes`,
`packs`) and the texts that reached code holds, kept where they reach lines of the connectors that none reached before
(`tracing`), and judged in a process with limits (`child`, `hunting`, `held`). What breaks a promise (`judging`,
`mapping`, `privacy`) is made small (`reducing`) and saved below `found/<target>/`, where `test_fuzz_found` reads it for
ever after. The table at the end (`session`) says for each target how many cases were recognised, gave rows, and came as
far as shared tables: a target that none of them does is not fuzzed, however many cases it had. What chance seldom makes,
half a megabyte of what one pattern or loop begins with, stands in `test_fuzz_long`.

Why not atheris: it ends its process at the first finding, has wheels for some versions of Python only, and sees
nothing of what happens in polars, lxml and msgspec either; the feedback that matters here is which lines of ours
were reached and what they said.
"""
