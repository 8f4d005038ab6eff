"""Mail to account owners: notices, the outbox, and the SMTP client."""
