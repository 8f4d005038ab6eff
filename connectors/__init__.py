"""Sources to typed rows. Each jurisdiction is one folder and one line below.

Belongs here: HTTP, formats, codes and mapping of one registry. Does not belong here: storage, schedules, serving.
"""
