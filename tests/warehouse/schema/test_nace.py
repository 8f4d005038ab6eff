"""The two revisions of NACE: counts of the regulations, correspondences, and the national lists that follow them."""

import pytest

from connectors.se import code_lists
from connectors.uk.code_lists import load_list
from warehouse.schema import nace
from warehouse.schema.codes import INDUSTRY_SCHEMES


def test_both_revisions_have_the_classes_of_their_regulations():
    assert (len(nace.REVISION_2.counterparts), len(nace.REVISION_2_1.counterparts)) == (615, 651)


def test_correspondence_is_the_same_in_both_directions():
    forth = {(old, new) for old, others in nace.REVISION_2.counterparts.items() for new in others}
    back = {(old, new) for new, others in nace.REVISION_2_1.counterparts.items() for old in others}
    assert forth == back
    assert [new for new, others in nace.REVISION_2_1.counterparts.items() if not others] == ["4689"]


@pytest.mark.parametrize(
    ("prefix", "revision", "classes"),
    [
        ("6201", nace.REVISION_2, ["6210"]),
        ("62010", nace.REVISION_2, ["6210"]),
        ("4120", nace.REVISION_2, ["4100", "4399", "9130"]),
        ("4100", nace.REVISION_2_1, ["4120"]),
        ("96210", nace.REVISION_2_1, ["9602"]),
        ("4689", nace.REVISION_2_1, []),
        ("62", None, None),
        ("0111", None, None),
        ("0000", None, None),
    ],
)
def test_only_revision_names_the_one_that_has_a_code(prefix, revision, classes):
    assert nace.only_revision(prefix) is revision
    if revision is not None:
        assert nace.corresponding_classes(prefix, revision) == classes


def test_division_that_a_revision_dissolved_has_counterparts_in_several():
    assert nace.only_revision("45") is nace.REVISION_2
    divisions = {found[:2] for found in nace.corresponding_classes("45", nace.REVISION_2)}
    assert divisions >= {"46", "47", "95"}


def test_national_lists_subdivide_exactly_the_classes_of_their_revision():
    for scheme, codes in (("SNI2007", code_lists.SNI2007.codes), ("SNI2025", code_lists.SNI2025.codes)):
        revision = nace.revision_of_scheme(scheme)
        assert revision is not None
        assert {code[:4] for code in codes} == set(revision.counterparts)


def test_british_codes_of_2007_begin_with_a_class_of_revision_2():
    own = {"7499", "9800", "9999"}  # the registry's own: non-trading, residents' property management, dormant
    codes = {code[:4] for code in load_list("sic").codes if len(code) == 5}
    assert codes - own <= set(nace.REVISION_2.counterparts)


def test_every_european_scheme_but_the_oldest_follows_a_revision():
    none = [scheme for scheme in INDUSTRY_SCHEMES if nace.revision_of_scheme(scheme) is None]
    assert none == ["UKSIC2003", "SIC"]
