"""common of api: clock, ids."""
