"""sources of pipelines: folder, live, source, stream_listener."""
