"""Flaggningsmeddelanden, notices of major holdings in issuers' releases (MFN, Nasdaq): texts to holdings."""
