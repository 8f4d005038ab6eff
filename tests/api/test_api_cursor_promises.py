"""What callers were promised of cursors: how long one is, how long it lasts, what it is bound to."""

from api.http.pagination.cursors import LIFETIME_SECONDS, MAX_LENGTH, filter_hash


def test_at_most_512_characters_for_seven_days():
    assert (MAX_LENGTH, LIFETIME_SECONDS) == (512, 604_800)


def test_filters_are_bound_by_eight_bytes():
    """Fewer, and two queries would now and then share their cursors."""
    assert len(filter_hash("a", 1)) == 8
    assert filter_hash("a", 1) != filter_hash("a", 2)
