"""One module per command group: options in, a call into the rooms, lines out.

Does not belong here: anything two commands share (`firm.compose`, `firm.printing`, `firm.failures`).
"""
