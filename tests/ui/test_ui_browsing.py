"""The instruments of the browser's tours notice what they are for: tried on pages that have it."""

from collections.abc import Iterator
from urllib.parse import quote

import pytest

from tests.browsing import Browser, browsing

pytestmark = pytest.mark.slow

NONE = "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'\">"


def page(body: str, head: str = "") -> str:
    return f"data:text/html,{quote(f'<!doctype html><html lang=en><title>t</title>{head}<body>{body}')}"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browsing(tmp_path_factory.mktemp("tabs")) as browser:
        yield browser


def test_scripts_run_where_they_are_on_alone(browser: Browser) -> None:
    written = page("<p>no</p><script>document.querySelector('p').textContent = 'yes'</script>")
    for scripts, text in ((True, "yes"), (False, "no")):
        tab = browser.tab(scripts=scripts)
        tab.open(written)
        assert tab.text("p") == text


def test_what_was_smuggled_in_is_seen_whether_it_runs_or_not(browser: Browser) -> None:
    tab = browser.tab()
    tab.open(page("<img src=x onerror=alert(1)>"))
    ran = tab.look("ran")
    assert [one[:4] for one in ran["foreign"]] == ["<img"]
    assert "a dialog: 1" in ran["broken"]
    tab = browser.tab()
    tab.open(page("<script>alert(2)</script>", NONE))
    (stopped, *_) = tab.look("stopped")["broken"]
    assert "Content Security Policy" in stopped


def test_faults_of_a_page_are_found(browser: Browser) -> None:
    tab = browser.tab(scripts=False)
    tab.open(page("<img src='data:,'><div style='width:500px'>wide</div>"))
    views = tab.look("faulty")["views"]
    assert "image-alt" in [fault["id"] for fault in views["wide"]["faults"]]
    assert (views["wide"]["overhang"], views["narrow"]["overhang"] > 0) == (0, True)


def test_what_is_not_seen_whole_is_found(browser: Browser) -> None:
    table = "<table style='width:900px'><caption>{0}</caption><tr><td>1</table>"
    region = f"<div style='overflow-x:auto'>{table}</div>"
    tab = browser.tab(scripts=False)
    tab.open(page(region.format("Whole") + region.format("Of many words " * 6) + "<h2>Beside</h2>"))
    views = tab.look("cut")["views"]
    tab.open(page("<dl style='width:5em'><dd style='white-space:nowrap'>USD 1,669,937,446</dl>"))
    assert tab.look("beyond")["views"]["wide"]["cut"] == ["USD 1,669,937,446"]
    assert (views["wide"]["cut"], len(views["narrow"]["cut"])) == ([], 2)
    assert views["narrow"]["cut"][1].startswith("Of many words")


def test_a_request_to_another_host_is_noted_and_goes_nowhere(browser: Browser) -> None:
    tab = browser.tab()
    tab.open(page("<img alt='' src='https://example.com/pixel'>"))
    assert "https://example.com/pixel" in tab.look("strayed")["strayed"]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("<button tabindex=-1>Go</button>", "does not reach"),
        ("<style>:focus-visible {outline: none}</style><button>Go</button>", "nobody sees"),
    ],
)
def test_what_the_keyboard_cannot_do_is_said(browser: Browser, body: str, said: str) -> None:
    tab = browser.tab(scripts=False)
    tab.open(page(body))
    with pytest.raises(AssertionError, match=said):
        tab.reach("button", "Go")
