"""Årsredovisningar, annual reports in inline XBRL as filed with Bolagsverket."""
