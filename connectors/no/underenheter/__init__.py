"""Underenheter, the sub-units of Enhetsregisteret: places of business below an entity."""
