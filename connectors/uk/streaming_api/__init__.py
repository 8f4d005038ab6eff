"""Companies House's streaming API: changes of profiles, filings, insolvency and PSC as they happen.

Does not belong here: the envelope of an event (`uk.stream_events`), tables that the REST API fills, too
(`uk.live_schema`).
"""
