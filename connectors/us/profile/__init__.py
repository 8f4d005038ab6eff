"""Profiles of American filers, from their submissions: fields, status, how a filer ended."""
