"""Ownership and relations as statements of the Beneficial Ownership Data Standard 0.4."""
