"""Tables that are kept up to date elsewhere, release by release: declarations, and what a release changes."""
