"""Documents that are made from the code equal what the code says today."""

import re

from tests.generate import PAGES, ROOT
from tests.tables import check_cases


@check_cases("page", PAGES)
def test_generated_pages_are_current(page: str) -> None:
    assert (ROOT / page).read_text(encoding="utf-8") == PAGES[page](), "make generate"


def test_the_readme_names_what_is_there() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    rooms = re.findall(r"^\| `([a-z_/`, ]+)` \|", text, re.MULTILINE)
    folders = [name for row in rooms for name in re.findall(r"[a-z_/]+", row) if "<" not in name and "." not in name]
    assert folders
    assert [name for name in folders if not (ROOT / name).is_dir()] == []
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"(?:`|^)make ([a-z]+)", text, re.MULTILINE)) <= targets
