"""Enhetsregisteret, Norway's register of entities: the nightly bulk file, and single entities from its API.

Does not belong here: sub-units (`no.underenheter`), the change feed (`no.oppdateringer`).
"""
