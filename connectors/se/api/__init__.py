"""Bolagsverket's API «Värdefulla datamängder»: single companies.

Does not belong here: the weekly bulk files (`se.bulk`).
"""
