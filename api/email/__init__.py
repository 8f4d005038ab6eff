"""email of api: outbox_repository, outbox_worker, smtp, webhook_notices."""
