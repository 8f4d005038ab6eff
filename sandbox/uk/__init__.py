"""Companies House and the NSM as the sandbox plays them: files in their formats, REST and streaming API."""
