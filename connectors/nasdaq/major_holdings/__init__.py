"""Flagging notifications in releases of the Nasdaq exchanges: holders that cross a threshold of an issuer.

Belongs here: the forms and sentences that issuers publish. Does not belong here: notices in a supervisor's own
register (`connectors.se.major_holdings`).
"""
