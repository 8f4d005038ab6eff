"""Danish company profiles, from CVR: fields and status."""
