"""MFN, the Nordic distributor of company announcements: one stream, filtered for each market."""
