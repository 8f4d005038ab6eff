"""Norway's registries and Oslo Børs as the sandbox plays them: files in their formats, HTTP, expected results."""
