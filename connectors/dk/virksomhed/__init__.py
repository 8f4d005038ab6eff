"""Companies of CVR with their legal owners, as the register's search index has them (docs/formats/dk.md 2 to 4)."""
