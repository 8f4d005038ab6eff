"""American filers of the world: their state on the first day, their filings and stories."""
