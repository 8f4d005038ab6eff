"""Publications of annual reports, as the open index lists them (docs/formats/dk.md 5)."""
