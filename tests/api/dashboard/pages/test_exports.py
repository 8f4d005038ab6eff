"""The page of bulk files: what it lists is what the links give, for tiers that have them."""

import re
import shutil
from typing import Any

from tests.api.dashboard.conftest import Desk
from warehouse.exports.exports import ExportStore

PAGE = "/dashboard/exports"


def test_each_file_can_be_downloaded_from_the_page(desk: Desk, world: Any) -> None:
    owner = desk.signed_in()
    assert "has no bulk files" in owner.get(PAGE).text
    desk.made.accounts.set_tier("owner@example.com", "business")
    assert "No exports yet" in owner.get(PAGE).text
    folder = desk.made.parts.settings.data / "exports"
    shutil.rmtree(folder, ignore_errors=True)
    [made] = ExportStore(world.layout, folder=folder).write(["SE"])
    page = owner.get(PAGE)
    assert f"SE, release {made.manifest['release']}" in page.text
    links = re.findall(r'href="([^"]+/exports/files/[^"]+)" download>([^<]+)<', page.text)
    assert [name for _, name in links] == [entry["name"] for entry in made.manifest["files"]]
    path, name = links[0]
    assert desk.browser().get(path).content == (made.folder / name).read_bytes()
    for status in ("suspended", "payment_required"):  # as the API refuses their keys
        desk.made.accounts.set_status("owner@example.com", status)
        refused = owner.get(PAGE)
        assert refused.status_code == 403
        assert "/exports/files/" not in refused.text
    desk.made.accounts.set_status("owner@example.com", "active")
    assert path.rpartition("/")[0] in owner.get(PAGE).text
