"""Form 13F, quarterly holdings of institutional investment managers."""
