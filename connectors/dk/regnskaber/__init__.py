"""Annual reports: XBRL and inline XBRL documents by the Danish and the IFRS taxonomy (docs/formats/dk.md 5.1)."""
