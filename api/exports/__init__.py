"""Bulk files of the data: their list, and downloads by links."""
