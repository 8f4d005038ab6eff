"""Schedules 13D and 13G, holders of more than five percent of a class, in XML and in older text."""
