"""Forms 3, 4 and 5, holdings and transactions of insiders (section 16)."""
