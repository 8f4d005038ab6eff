"""Oppdateringer, the change feeds of Enhetsregisteret: which entities, sub-units and roles to request again."""
