"""egress of api.webhooks: dns, file_limit, http_client, ip_guard, url_policy."""
