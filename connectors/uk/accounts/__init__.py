"""Accounts filed with Companies House in inline XBRL and XBRL, daily and monthly archives."""
