"""Filings read for what they announce: SGML headers of Form 8-K (current report), 25 (delisting) and 15."""
