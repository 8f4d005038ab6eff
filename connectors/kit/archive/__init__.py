"""Reading zip, gzip and tar with bounds: safe member names, capped sizes, members that have not changed."""
