"""Norwegian company profiles, from Enhetsregisteret: fields, status, removals."""
