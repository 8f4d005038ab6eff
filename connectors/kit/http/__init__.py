"""Polite fetching: rate limits, retries, validators, and bodies checked before they are accepted.

Does not belong here: addresses or limits of a registry (`connectors.<cc>`).
"""
