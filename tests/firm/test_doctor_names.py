"""`firm doctor` names what looks like a setting and is none."""

from pathlib import Path

from firm.doctor.setting_names import misspelt_findings
from firm.settings_page import list_areas
from tests.firm.inside import Inside
from tests.tables import check_cases


def test_a_misspelt_setting_is_named_with_the_one_that_is_meant(tmp_path: Path) -> None:
    said = Inside(tmp_path / "data").run("doctor", FIRM_PROT="1", FIRM_PORT="8001")
    assert "warn\tFIRM_PROT is no setting and has no effect\tdid you mean FIRM_PORT?" in said.out


def test_settings_and_names_of_other_things_are_left_alone() -> None:
    names = {setting.name for area in list_areas() for setting in area.settings}
    assert (
        list(misspelt_findings({*names, "FIRM_NOTHING_LIKE_IT", "PROT", "FIRM_TEST_SECONDS", "FIRM_SCREENSHOTS"})) == []
    )


@check_cases(
    ("written", "is_named"),
    [("PROT", True), ("PORS", True), ("POR", True), ("PORTS", True), ("PORT", False), ("TROP", False), ("PO", False)],
)
def test_one_letter_or_a_swap_is_a_slip(written: str, is_named: bool) -> None:
    assert bool(list(misspelt_findings([f"FIRM_{written}"]))) == is_named


def test_ingest_warns_of_a_misspelt_setting_when_it_starts(tmp_path: Path) -> None:
    said = Inside(tmp_path / "data").run("ingest", "--from", tmp_path, FIRM_KEEP_RELEASE="9")
    assert "FIRM_KEEP_RELEASE is no setting and has no effect: did you mean FIRM_KEEP_RELEASES?" in said.err
