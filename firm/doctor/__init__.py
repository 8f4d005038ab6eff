"""doctor of firm: billing, histories, object_store, source_credentials, webhooks."""
