"""Usage of accounts: counted requests per month and day, buffered, stored and read back."""
