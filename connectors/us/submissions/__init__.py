"""submissions, a filer's own data and its list of filings, from the SEC: nightly bulk file, or single filers."""
