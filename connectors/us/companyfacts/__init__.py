"""companyfacts, all XBRL facts that a filer ever stated, from the SEC: the nightly bulk file, and single filers."""
