"""The bulk data as tables of a PostgreSQL database, merged in one transaction per release."""
