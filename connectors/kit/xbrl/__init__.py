"""xbrl of connectors.kit: contexts, facts, inline, instance, transforms."""
