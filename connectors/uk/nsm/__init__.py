"""NSM, the FCA's National Storage Mechanism: announcements of issuers, and major holdings (form TR-1)."""
