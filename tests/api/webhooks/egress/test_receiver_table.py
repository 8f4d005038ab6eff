"""docs/webhooks.md tells what comes out for every response of the table."""

from pathlib import Path

from tests.api.webhooks.egress.receiver_table import page_with_table

PAGE = Path(__file__).parents[4] / "docs" / "webhooks.md"


def test_the_page_tells_what_each_response_comes_to():
    """Where this fails and the change is meant: make generate."""
    page = PAGE.read_text(encoding="utf-8")
    assert page_with_table(page) == page
