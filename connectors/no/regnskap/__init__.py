"""Regnskapsregisteret, Norway's register of annual accounts: company by company, or the mass file."""
