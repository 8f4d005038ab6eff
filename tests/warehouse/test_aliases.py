"""Companies by LEI, ISIN, symbol, VAT number, EUID and CIK: in a full release, and in one that was patched."""

from __future__ import annotations

import datetime as dt

import pytest

from tests.tables import check_cases
from tests.warehouse.world import learn, member, publish
from warehouse.reader.queries import profiles
from warehouse.reader.reader import ReleaseReader
from warehouse.storage.layout import Layout

ONE, TWO = "firm:NO:900000001", "firm:NO:900000002"
LEI = "969500NO030000004573"
COMPANIES = [member("NO", 1), member("NO", 2)]
PAST = dt.date(2025, 12, 31)


def known(company: str, scheme: str, value: str) -> dict[str, str]:
    return {"company_id": company, "scheme": scheme, "value": value}


def listing(company: str, mic: str | None, ticker: str | None, **given: object) -> dict[str, object]:
    row = {"company_id": company, "native_id": f"{mic}:{ticker}", "exchange_mic": mic, "ticker": ticker}
    return row | {"valid_from": None, **given}


def named(layout: Layout, *texts: str) -> list[tuple[str, ...]]:
    reader = ReleaseReader(layout)
    try:
        with reader.pin_release() as snapshot:
            return [snapshot.ids_by_identifier(text) for text in texts]
    finally:
        reader.close()


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> Layout:
    return _known(Layout(tmp_path_factory.mktemp("known")))


def _known(layout: Layout) -> Layout:
    learn(
        layout,
        "NO",
        0,
        companies=COMPANIES,
        identifiers=[
            known(ONE, "lei", LEI),
            known(ONE, "isin", "NO0010096985"),
            known(ONE, "vat", "NO900000001MVA"),
            known(ONE, "euid", "NOFOR.900000001"),
            known(ONE, "cik", "0001140625"),
            known(ONE, "ticker", "EQNR"),
            known(TWO, "ticker", "EQNR"),
            known(TWO, "ticker", "BRK-B"),
            known(ONE, "ticker", "ERIC B"),
            known(ONE, "exchange_mic", "XOSL"),
        ],
        listings=[
            listing(ONE, "XOSL", "EQNR"),
            listing(TWO, "XNYS", "EQNR"),
            listing(ONE, "XOSL", "ERIC B"),
            listing(TWO, "XOSL", "GONE", ended_on=PAST),
        ],
    )
    publish(layout, "NO")
    return layout


@check_cases(
    ("text", "due"),
    [
        (LEI, (ONE,)),
        (LEI.lower(), (ONE,)),
        ("NO0010096985", (ONE,)),
        ("NO 0010096985", (ONE,)),
        ("no900000001 mva", (ONE,)),
        ("NOFOR.900000001", (ONE,)),
        ("0001140625", (ONE,)),
        ("1140625", (ONE,)),
        ("EQNR", (ONE, TWO)),
        ("xosl:eqnr", (ONE,)),
        ("BRK-B", (TWO,)),
        ("brk.b", (TWO,)),
        ("BRK B", (TWO,)),
        ("BRKB", ()),
        ("eric b", (ONE,)),
        ("ERIC-B", (ONE,)),
        ("XOSL:ERIC B", (ONE,)),
        ("XNYS:EQNR", (TWO,)),
        ("XOSL:GONE", ()),
        ("XOSL", ()),  # a venue names nobody
        ("EQN", ()),
        ("", ()),
        ("   ", ()),
        ("%", ()),
        ("' OR 1=1 --", ()),
        ("x" * 10_000, ()),
        ("٣", ()),
    ],
)
def test_a_whole_text_names_companies(once: Layout, text: str, due: tuple[str, ...]) -> None:
    assert named(once, text) == [due]


@pytest.mark.slow
def test_what_changes_is_found_by_its_new_names_alone(layout: Layout) -> None:
    known_so = _known(layout)
    learn(known_so, "NO", 1, identifiers=[known(TWO, "lei", LEI)], listings=[])
    publish(known_so, "NO", at=1)
    assert named(known_so, LEI, "NO0010096985", "EQNR", "XOSL:EQNR") == [(TWO,), (), (), ()]


def test_a_symbol_of_many_companies_names_a_few(layout: Layout) -> None:
    companies = [member("NO", number) for number in range(1, 30)]
    learn(
        layout, "NO", 0, companies=companies, identifiers=[known(row["company_id"], "ticker", "A") for row in companies]
    )
    publish(layout, "NO")
    ((*found,),) = named(layout, "a")
    assert len(found) == profiles.MOST
    assert found == sorted(found)
