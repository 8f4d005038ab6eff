"""Snapshot lines by columns and by records: the same rows, signals and rejects, whatever the lines hold."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.contract.dataset import Scope
from connectors.uk.psc import dataset as psc_dataset
from connectors.uk.psc import parse_bodies, parse_snapshot
from connectors.uk.psc.schema import HOLDERS
from tests.connectors.uk.conftest import Bench, PscBodies

LINES = "psc-snapshot-2026-11-01_1of2.txt"
STATEMENT = "persons-with-significant-control-statement"
CODES = ("ownership-of-shares-25-to-50-percent", "voting-rights-50-to-75-percent-as-trust", "telepathy", 'a"]b', "")
PAPERS = {"country_registered": "England", "registration_number": "1234567", "legal_form": "Ltd"}
ODD = (
    {},
    {"natures_of_control": ["[odd]", '","']},
    {"natures_of_control": []},
    {"natures_of_control": None},
    {"identification": PAPERS},
    {"name_elements": {"title": "Mr", "forename": "Bo", "surname": "Ek", "other_forenames": "Ci"}},
    {"ceased": True, "kind": "super-secure-person-with-significant-control"},
    {"ceased": "1"},
    {"ceased_on": "2019-13-01"},
    {"kind": STATEMENT, "statement": "no-individual-or-entity-with-signficant-control"},
    {"kind": "exemptions", "exemptions": {"new": {"items": [{"exempt_from": "2020-01-01"}]}}},
    {"kind": "person-of-a-new-kind"},
    {"surprise": 1},
    {"is_sanctioned": False},
    {"links": {"self": ""}},
    {"links": {"self": "/"}},
    {"links": {"self": "/company/01234567/persons-with-significant-control/individual/"}},
    {"links": {"self": "/company/07654321/persons-with-significant-control/individual/x"}},
    {"links": {"self": "company/01234567/persons-with-significant-control/individual/x/"}},
)


def both(monkeypatch, body):
    """What the two ways give of one body, unredacted: rows by table, rejects, signals."""
    quick = Bench().read(psc_dataset.DATASET, body, LINES)
    with monkeypatch.context() as patched:
        patched.setattr(parse_snapshot, "parse_plain_lines", lambda _: None)
        slow = Bench().read(psc_dataset.DATASET, body, LINES)
    return quick, slow


def same(quick, slow):
    assert set(quick.rows) == set(slow.rows)
    for table, rows in slow.rows.items():
        assert quick.rows[table].equals(rows), table
        assert quick.rows[table].schema == rows.schema
    assert sorted(quick.rejects) == sorted(slow.rejects)
    assert sorted(map(repr, quick.signals)) == sorted(map(repr, slow.signals))


@pytest.mark.parametrize("odd", ODD, ids=str)
def test_one_odd_line_among_plain_ones(monkeypatch, make, odd):
    plain = [make.record(f"0000000{place}", f"id-{place}") for place in range(3)]
    same(*both(monkeypatch, make.lines(plain[0], make.record(**odd), *plain[1:])))


@pytest.mark.parametrize("number", ["1234567", "sc123456", " 01234567", None, "", "Å1234567"])
def test_numbers_are_mended_or_refused_alike(monkeypatch, make, number):
    odd = make.record() | {"company_number": number}
    same(*both(monkeypatch, make.lines(make.record("00000001"), odd, make.record("00000002"))))


@given(
    st.lists(
        st.builds(
            lambda kind, codes, name, day, tail: PscBodies.record(
                "01234567", f"i{tail}", kind, natures_of_control=codes, name=name, notified_on=day, ceased_on=day
            ),
            st.sampled_from([*HOLDERS, STATEMENT]),
            st.lists(st.sampled_from(CODES), max_size=3),
            st.none() | st.text(max_size=8),
            st.none() | st.sampled_from(["2016-04-06", "1083-01-01", "9999-12-31", "", "soon"]),
            st.text("/ab", max_size=4),
        ),
        min_size=2,
        max_size=6,
    )
)
@pytest.mark.slow
def test_any_lines_are_the_same_rows_both_ways(records):
    with pytest.MonkeyPatch.context() as monkeypatch:
        same(*both(monkeypatch, PscBodies.lines(*records)))


def test_a_body_of_plain_lines_is_read_by_columns(make, bench, monkeypatch):
    seen = []
    quick = parse_snapshot.parse_plain_lines
    monkeypatch.setattr(parse_snapshot, "parse_plain_lines", lambda part: seen.append(quick(part)) or seen[-1])
    bench.read(psc_dataset.DATASET, make.lines(make.record("00000001"), make.record("00000002")), LINES)
    assert [len(found["uk_psc"]) for found in seen] == [2]


def test_plain_lines_go_the_quick_way(make):
    """Otherwise nobody would see that the whole snapshot has become slow."""
    lines = make.lines(
        make.record(identification=PAPERS), make.record(kind=STATEMENT, statement="psc-details-not-confirmed")
    )
    found = parse_snapshot.parse_plain_lines(lines)
    assert found is not None
    assert {table: len(rows) for table, rows in found.items()} == {"uk_psc": 1, "uk_psc_statements": 1}


def test_a_line_that_was_taken_out_still_counts_for_the_trailer(make, bench):
    """`firm erase` leaves a stub, and the trailer holds."""
    totals = {
        "data": {"kind": "totals#persons-of-significant-control-snapshot", "persons_of_significant_control_count": 3}
    }
    body = make.lines(make.record("00000001"), make.record("00000002"), {"withheld": "uk_psc"}, totals)
    name = "persons-with-significant-control-snapshot-2026-11-01.txt"
    read = bench.read(psc_dataset.DATASET, body, name, scope=Scope.FULL)
    assert len(read.rows["uk_psc"]) == 2


def test_stretches_end_with_lines_and_every_record_is_in_one(monkeypatch, make, bench):

    monkeypatch.setattr(parse_bodies, "BLOCK_BYTES", 700)
    body = make.lines(*(make.record(f"{place:08}", f"i{place}") for place in range(50)))
    assert bench.read(psc_dataset.DATASET, body, LINES).rows["uk_psc"]["id"].to_list() == [
        f"i{place}" for place in range(50)
    ]


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("/", "no id in the address '/'"),
        ("/company/01234567/persons-with-significant-control/individual/", "no id in the address"),
        (
            "/company/07654321/persons-with-significant-control/individual/x",
            "a record of 01234567 with an address of 07654321",
        ),
    ],
)
def test_an_address_without_an_id_or_of_another_company_is_a_reject(make, bench, address, reason):
    sound = make.record(identity="sound")
    read = bench.read(psc_dataset.DATASET, make.lines(sound, make.record(links={"self": address}), sound), LINES)
    assert read.rows["uk_psc"]["id"].to_list() == ["sound", "sound"]
    ((_, why, _),) = read.rejects
    assert reason in why
