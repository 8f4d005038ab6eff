"""auth of api: allowed_origins, api_keys, authenticator, encryption, service_secrets, session_tokens."""
