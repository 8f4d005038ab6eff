"""One module per command group: parses options, calls other packages, prints results.

Does not belong here: anything two commands share (`firm.compose`, `firm.printing`, `firm.failures`).
"""
