"""GLEIF level 2, «who owns whom»: accounting consolidation between entities with LEIs."""
