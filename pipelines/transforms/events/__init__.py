"""Events that follow from the differences between two known states: each kind, and which may be emitted."""
