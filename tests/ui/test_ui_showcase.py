"""The static showcase in Chromium: every component with fixtures, in four languages, without any service."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.browsing import Run, Tab, browsing, keep_screenshots
from tests.ui.tour import serving_folder

pytestmark = pytest.mark.slow

COMPONENTS = 10
STATES = {"ready": "ready", "loading": "loading", "empty": "ready", "failed": "failed"}
LANGUAGES = {
    "en": "Revenue and result",
    "sv": "Omsättning och resultat",
    "nb": "Omsetning og resultat",
    "fi": "Liikevaihto",
}


@pytest.fixture(scope="module")
def looks(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """What was found of each language, and of the English page beyond it."""
    folder = tmp_path_factory.mktemp("showcase")
    built = run("node", "showcase/build.mjs", folder / "site")
    assert built.returncode == 0, built.stdout + built.stderr
    with serving_folder(folder / "site") as site, browsing(folder) as browser:
        tab = browser.tab()
        looks = {locale: _looked(tab, f"{site}/?locale={locale}", locale) for locale in reversed(LANGUAGES)}
        looks["more"] = _more(tab)
        tab.picture("components")
        tab.picture("components-narrow", 360)
        yield looks | {state: _looked(tab, f"{site}/?state={state}", state) for state in STATES}
    keep_screenshots(folder, "showcase")


def _looked(tab: Tab, url: str, name: str) -> dict[str, Any]:
    tab.open(url)
    tab.settle_but(COMPONENTS if name == "loading" else 0)
    return tab.look(name) | {"states": tab.attributes("section.firmdata", "data-state")}


def _more(tab: Tab) -> dict[str, Any]:
    return {
        "columns": tab.attributes("[data-column]", "data-column"),
        "bars": tab.attributes("[data-column='2020'] [data-bar]", "data-bar"),
        "currencies": tab.attributes("[data-currency]", "data-currency"),
        "months": tab.attributes(".firmdata-chart [data-months]", "data-months"),
        "months in tables": tab.attributes("thead [data-months]", "data-months"),
    }


def test_every_component_is_drawn_in_every_language_and_state(looks: dict[str, Any]) -> None:
    for locale, words in LANGUAGES.items():
        assert looks[locale]["states"] == ["ready"] * COMPONENTS, locale
        assert words in looks[locale]["text"], locale
    for name, state in STATES.items():
        assert looks[name]["states"] == [state] * COMPONENTS, name
    assert "No owners are known." in looks["empty"]["text"]
    assert looks["failed"]["text"].count("The service cannot be reached.") == COMPONENTS


def test_the_chart_has_gaps_currencies_apart_and_a_long_year(looks: dict[str, Any]) -> None:
    assert looks["more"] == {
        "columns": ["2020", "2021", "2022", "2023", "2024", "2025", "2019"],
        "bars": ["revenue"],
        "currencies": ["NOK", "USD"],
        "months": ["18"],
        "months in tables": ["18"],
    }


def test_it_asks_nobody_runs_without_faults_and_fits(looks: dict[str, Any]) -> None:
    for locale in (*LANGUAGES, *STATES):
        look = looks[locale]
        assert (look["strayed"], look["broken"]) == ([], []), locale
        for name, view in look["views"].items():
            assert view["faults"] == [], (locale, name)
            assert view["overhang"] <= 0, (locale, name)
            assert view["cut"] == [], (locale, name)
