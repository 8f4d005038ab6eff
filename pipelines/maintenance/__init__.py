"""maintenance of pipelines: rebuild, replay, retention."""
