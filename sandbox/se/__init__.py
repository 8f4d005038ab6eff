"""Sweden's registries as the sandbox plays them: files in their formats, HTTP."""
