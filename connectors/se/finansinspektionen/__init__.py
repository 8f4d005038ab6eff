"""Finansinspektionen, Sweden's financial supervisor: announcements, insiders, short positions.

Does not belong here: flagging notices (`se.major_holdings`).
"""
