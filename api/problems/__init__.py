"""Errors of the API as problem+json (RFC 9457): the catalogue of types, and the exception that carries one."""
