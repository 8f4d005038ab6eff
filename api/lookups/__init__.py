"""Look-ups: companies by identifiers and names in bulk, and suggestions while a person types."""
