"""Our categories of headlines: words that mean something else in a name, or are of another thing than a period."""

from connectors.news.categories import map_categories
from tests.tables import check_cases


@check_cases(
    ("title", "categories"),
    [
        ("Acme Reports Third Quarter Results", ["earnings"]),
        ("Acme Announces Results", ["earnings"]),
        ("Acme Reports Q3 Results and Phase 2 Trial Update", ["earnings"]),
        ("Acme Announces Positive Interim Results from Phase 2 Trial", ["other"]),
        ("Acme Reports Drill Results at Its Mine", ["other"]),
        ("Acme Announces Results of Annual General Meeting", ["meeting"]),
        ("Acme plc: Voting Results", ["other"]),
        ("Acme Capital Corp Names Officer", ["other"]),
        ("Acme to hold Capital Markets Day", ["other"]),
        ("Acme AB increases its share capital", ["capital"]),
        ("Capital increase in Acme ASA", ["capital"]),
        ("Acme Receives Regulatory Approval", ["other"]),
        ("Acme Oyj: Pörssitiedote", ["disclosure"]),
    ],
)
def test_categories_of_headlines(title: str, categories: list[str]) -> None:
    assert map_categories([], title) == categories


def test_words_of_labels_count_as_they_are() -> None:
    assert map_categories(["Changes in capital"]) == ["capital"]
    assert map_categories(["Regulatory filing"]) == ["disclosure"]
