"""Example responses and bodies in the OpenAPI document."""
