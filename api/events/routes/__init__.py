"""Routes of the events of all companies."""
