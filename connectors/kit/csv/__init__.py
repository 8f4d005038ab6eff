"""CSV as text columns, strict: every row is read, or rejected with its line.

`fast_quoted` and `fast_unquoted` split clean lines; lines that they cannot split go to `rows`.
"""
