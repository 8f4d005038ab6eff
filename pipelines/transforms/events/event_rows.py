"""All events that follow from one difference between two known states.

Belongs here: calling every kind. Does not belong here: a kind's own rules (`filing`, `news`, `ownership`,
`profile`, `status`), or which changes emit no event (`emission_rules`).
"""

from __future__ import annotations

from itertools import chain

import polars as pl

from pipelines.transforms.differences import Differences, Frames
from pipelines.transforms.events.emission_rules import EmissionContext
from pipelines.transforms.events.filing import filing_events
from pipelines.transforms.events.news import news_events
from pipelines.transforms.events.ownership import ownership_events
from pipelines.transforms.events.payload import event_frame
from pipelines.transforms.events.profile import profile_events
from pipelines.transforms.events.status import status_events


def build_event_rows(differences: Differences, snapshot: Frames, context: EmissionContext) -> pl.DataFrame:
    """EVENTS rows, one per id, sorted by when they became known, then by when they happened.

    Args:
        differences: by table, for companies, filings, financials and owners, and for news and notices if any.
        snapshot: all rows of the companies concerned, after the change.
        context: when it was seen and which datasets may emit events.
    """
    if differences["companies"].known.is_empty():
        return event_frame((), context.known_at)  # no kind announces anything of a company that was unknown before
    return event_frame(
        chain(
            filing_events(differences, snapshot, context),
            status_events(differences, context),
            ownership_events(differences, snapshot, context),
            news_events(differences, snapshot, context),
            profile_events(differences, snapshot, context),
        ),
        context.known_at,
    )
