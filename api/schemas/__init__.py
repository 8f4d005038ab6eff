"""Declarations that requests, responses and the OpenAPI document share: fields, and the JSON schema of models."""
