"""Konsern, group structures at Brønnøysundregistrene: ownership percentages between companies."""
