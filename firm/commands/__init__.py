"""One module per group of commands: parses options, calls other packages, prints results.

Does not belong here: anything two commands share (`firm.bootstrap`, `firm.console`, `firm.cli_errors`).
"""
