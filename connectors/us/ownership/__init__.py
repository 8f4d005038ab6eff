"""Ownership filings on EDGAR: Schedules 13D and 13G, Forms 3 to 5, Form 13F.

Belongs here: what these forms share. Does not belong here: one form's fields (`schedule13`, `forms345`,
`form13f`).
"""
