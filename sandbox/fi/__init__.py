"""Finland's registries as the sandbox plays them: files in their formats, HTTP, expected results."""
