"""Half a day of the Finnish registries under Dagster's own schedule: fetches at each cadence, news released in time."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

import connectors
from tests.pipelines.clocked_days import START, play, ticks

EVENING = START + timedelta(hours=16)
AFTERNOON = EVENING + timedelta(hours=17)


@pytest.mark.slow
def test_schedule_over_half_a_day_fetches_each_dataset_at_its_cadence_and_releases_news_within_twice_theirs(
    tmp_path: Path,
) -> None:
    played = play(tmp_path, ["FI"], AFTERNOON, EVENING)
    assert played.failures == []
    [market] = [made for made in connectors.JURISDICTIONS if made.code == "FI"]
    first = min(instant for found in played.fetches.values() for instant in found)
    for dataset in market.datasets:
        later = [tick for tick in ticks(dataset.cadence.cron, EVENING, AFTERNOON) if tick > first]
        assert played.fetches[dataset.key] == [first, *later], dataset.key
    assert len(played.delays) > 0
    assert [delay for delay in played.delays if delay.waited > delay.limit] == []
    assert played.idle["FI"] > played.runs["FI"] / 2
