"""demo of firm: background_server, sandbox_origin, webhook_receiver."""
