"""The register of owners: bands, statements by day, holders; what is removed before the archive."""

import gzip
import io
import json
from datetime import date
from decimal import Decimal
from typing import Any

from connectors.dk.virksomhed.holdings import LOWER, UPPER
from connectors.dk.virksomhed.redact import redact
from tests.connectors.dk.records import (
    COMPANIES,
    NUMBER,
    answer,
    batches,
    company,
    element,
    organ,
    owner,
    shared,
    signals,
)
from tests.tables import check_cases

ID = f"firm:DK:{NUMBER}"


def read(*relations: Any) -> Any:
    return batches(COMPANIES, answer(company(deltagerRelation=list(relations))))


def holding(*relations: Any) -> dict[str, Any]:
    return shared(read(*relations))["holdings"].row(0, named=True)


BANDS = {
    "0.05": ("5", "10", None),
    "0.1": ("10", "15", None),
    "0.15": ("15", "20", None),
    "0.2": ("20", "25", None),
    "0.25": ("25", "33.33", None),
    "0.3333": ("33.33", "50", None),
    "0.5": ("50", "66.67", None),
    "0.6667": ("66.67", "90", None),
    "0.9": ("90", "100", None),
    "1.0": ("100", "100", "100"),
}


def test_a_share_is_the_lower_end_of_a_band_and_only_the_whole_is_exact() -> None:
    values = [element("2020-01-01", vaerdi=stated) for stated in BANDS]
    holders = [owner(unit, value, votes=[value]) for unit, value in enumerate(values, start=1)]
    rows = {row["native_id"]: row for row in shared(read(*holders))["holdings"].iter_rows(named=True)}
    for unit, (low, high, exact) in enumerate(BANDS.values(), start=1):
        found, due = rows[str(unit)], None if exact is None else Decimal(exact)
        assert (found["pct_min"], found["pct_max"], found["pct"]) == (Decimal(low), Decimal(high), due)
        assert (found["votes_min"], found["votes_max"], found["votes_pct"]) == (Decimal(low), Decimal(high), due)
        assert found["basis"] == ("band" if exact is None else "exact")


def test_bands_meet() -> None:
    lower, upper = sorted(LOWER.values()), sorted(UPPER.values())
    assert lower[1:] == upper[:-1]


@check_cases(("stated", "subject"), [("0.1686", "0.1686"), ("0,05", "0,05"), ("1.5", "1.5"), ("mange", "mange")])
def test_a_share_that_is_no_lower_end_is_unknown_and_counted(stated: str, subject: str) -> None:
    relation = owner(1, element("2020-01-01", vaerdi=stated))
    assert signals(read(relation)) == {("unknown_band", subject): 1}
    found = holding(relation)
    assert (found["pct"], found["pct_min"], found["pct_max"], found["basis"]) == (None, None, None, None)


def test_every_change_is_a_statement_whatever_the_order_of_the_list() -> None:
    shares = [
        element("2022-01-01", vaerdi="0.5"),  # a newer element before an older one
        element("2018-01-01", "2019-12-31", vaerdi="0.1"),
        element("2020-01-01", "2021-12-31", vaerdi="0.25"),
    ]
    found = shared(read(owner(1, *shares)))
    columns = ("valid_from", "pct_min", "ended_on")
    assert found["holdings"].select(columns).rows() == [(date(2022, 1, 1), Decimal(50), None)]
    assert found["holdings_earlier"].select(columns).rows() == [
        (date(2018, 1, 1), Decimal(10), None),
        (date(2020, 1, 1), Decimal(25), None),
    ]


def test_a_statement_ends_where_no_other_of_the_holder_follows_on_the_next_day() -> None:
    shares = [element("2018-01-01", "2019-12-31", vaerdi="0.1"), element("2020-01-02", "2021-12-31", vaerdi="0.25")]
    found = shared(read(owner(1, *shares), owner(2, element("2020-01-01", vaerdi="0.5"))))
    earlier = found["holdings_earlier"].select("native_id", "ended_on").rows()
    latest = found["holdings"].sort("native_id").select("native_id", "ended_on").rows()
    assert earlier == [("1", date(2019, 12, 31))]
    assert latest == [("1", date(2021, 12, 31)), ("2", None)]


def test_votes_that_change_alone_are_a_statement_too() -> None:
    votes = [element("2018-01-01", "2019-12-31", vaerdi="0.1"), element("2020-01-01", vaerdi="0.5")]
    found = shared(read(owner(1, element("2018-01-01", vaerdi="0.1"), votes=votes)))
    assert found["holdings"].select("valid_from", "pct_min", "votes_min").rows() == [
        (date(2020, 1, 1), Decimal(10), Decimal(50))
    ]


@check_cases("ended", [(True, False), (False, True)])
def test_a_share_that_ends_alone_is_a_statement_too(ended: tuple[bool, bool]) -> None:
    """Capital and votes are two lists: what ends in one is held no longer, while the other goes on."""
    shares, votes = (element("2018-01-01", "2019-12-31" if has_end else None, vaerdi="0.25") for has_end in ended)
    found = shared(read(owner(1, shares, votes=[votes])))
    columns = ("valid_from", "pct_min", "votes_min", "ended_on")
    held = [None if has_end else Decimal(25) for has_end in ended]
    assert found["holdings"].select(columns).rows() == [(date(2020, 1, 1), *held, None)]
    assert found["holdings_earlier"].select(columns).rows() == [(date(2018, 1, 1), Decimal(25), Decimal(25), None)]


def test_a_share_that_ends_before_the_other_ends_the_holding_with_the_later() -> None:
    shares, votes = (
        element("2018-01-01", "2019-12-31", vaerdi="0.25"),
        element("2018-01-01", "2020-06-30", vaerdi="0.1"),
    )
    found = shared(read(owner(1, shares, votes=[votes])))
    columns = ("valid_from", "pct_min", "votes_min", "ended_on")
    assert found["holdings"].select(columns).rows() == [(date(2020, 1, 1), None, Decimal(10), date(2020, 6, 30))]


def test_a_share_that_follows_one_whose_end_is_late_is_no_further_statement() -> None:
    shares = [element("2018-01-01", "2020-12-31", vaerdi="0.1"), element("2020-01-01", vaerdi="0.25")]
    found = shared(read(owner(1, *shares)))
    assert found["holdings"].select("valid_from", "pct_min").rows() == [(date(2020, 1, 1), Decimal(25))]
    assert found["holdings_earlier"]["valid_from"].to_list() == [date(2018, 1, 1)]


OF_HOLDER = ("native_id", "valid_from", "pct_min", "ended_on")
DAY = date(2026, 11, 20)


def corrected(*now: Any) -> list[Any]:
    """Holders after a record whose only owner held 50 percent from February on was written anew."""
    before = read(owner(1, element("2020-02-01", vaerdi="0.5")))
    return shared(read(*now), before=before)["holdings"].sort("native_id").select(OF_HOLDER).rows()


def test_a_statement_that_the_record_corrects_counts_no_more() -> None:
    assert corrected(owner(1, element("2020-01-01", vaerdi="0.25"))) == [("1", date(2020, 1, 1), Decimal(25), None)]


def test_a_holder_whom_the_record_names_no_more_has_ended() -> None:
    other = owner(2, element("2020-03-01", vaerdi="1.0"))
    assert corrected(other) == [("1", date(2020, 2, 1), Decimal(50), DAY), ("2", date(2020, 3, 1), Decimal(100), None)]
    assert corrected() == [("1", date(2020, 2, 1), Decimal(50), DAY)]


def test_a_record_without_the_list_of_participants_ends_no_holding() -> None:
    record = company(samtId=2)
    del record["deltagerRelation"]
    before = read(owner(1, element("2020-02-01", vaerdi="0.5")))
    for body in (answer(record), redact(io.BytesIO(answer(record))).read()):
        found = shared(batches(COMPANIES, body), before=before)
        assert found["holdings"].select(OF_HOLDER).rows() == [("1", date(2020, 2, 1), Decimal(50), None)]


def test_a_record_with_a_holder_whom_it_does_not_name_ends_no_holding() -> None:
    nobody = owner(2, element("2020-03-01", vaerdi="0.5")) | {"deltager": None}
    assert corrected(nobody) == [("1", date(2020, 2, 1), Decimal(50), None)]


def test_an_ended_holding_is_kept_with_its_last_day() -> None:
    assert holding(owner(1, element("2018-01-01", "2023-03-01", vaerdi="0.2")))["ended_on"] == date(2023, 3, 1)
    assert holding(owner(1, element("2018-01-01", "2031-03-01", vaerdi="0.2")))["ended_on"] is None


def test_a_share_without_a_first_day_is_before_the_others() -> None:
    found = shared(read(owner(1, element(None, "2019-12-31", vaerdi="0.1"), element("2020-01-01", vaerdi="0.2"))))
    assert found["holdings"]["pct_min"].to_list() == [Decimal(20)]
    assert holding(owner(1, element(None, vaerdi="0.1")))["valid_from"] is None


def test_of_several_shares_without_a_first_day_the_newest_counts_whatever_the_order_of_the_list() -> None:
    shares = [
        element(None, changed="2019-05-01T00:00:00.000+02:00", vaerdi="0.1"),
        element(None, changed="2021-05-01T00:00:00.000+02:00", vaerdi="0.25"),
    ]
    for told in (shares, shares[::-1]):
        assert holding(owner(1, *told))["pct_min"] == Decimal(25)


def test_a_company_that_holds_shares_is_linked_by_its_number() -> None:
    value = element("2020-01-01", vaerdi="1.0")
    found = holding(owner(7, value, enhedstype="VIRKSOMHED", forretningsnoegle=24256790))
    assert (found["holder_type"], found["holder_company_id"]) == ("company", "firm:DK:24256790")
    assert (found["native_id"], found["holder_country"]) == ("7", "DK")


def test_a_person_has_a_name_and_a_country_and_no_country_if_the_address_is_hidden() -> None:
    value, lives = element("2020-01-01", vaerdi="0.5"), [element("2010-01-01", landekode="SE", vejnavn="Gatan")]
    found = holding(owner(7, value, beliggenhedsadresse=lives))
    assert (found["holder_name"], found["holder_type"], found["holder_country"]) == ("Ejer 7", "person", "SE")
    hidden = holding(owner(7, value, beliggenhedsadresse=lives, adresseHemmelig=True))
    assert hidden["holder_country"] is None


def test_another_kind_of_participant_is_of_unknown_type() -> None:
    found = holding(owner(7, element("2020-01-01", vaerdi="0.5"), enhedstype="ANDEN_DELTAGER"))
    assert (found["holder_type"], found["holder_company_id"]) == ("unknown", None)


def test_a_foreign_company_that_holds_shares_has_its_name_and_country() -> None:
    lives = [element("2010-01-01", landekode="LU", fritekst="1 rue")]
    name = [element(None, navn="Holding  S.A.")]
    value = element("2020-01-01", vaerdi="0.9")
    found = holding(owner(7, value, enhedstype="VIRKSOMHED", navne=name, beliggenhedsadresse=lives))
    assert (found["holder_type"], found["holder_company_id"]) == ("company", None)
    assert (found["holder_name"], found["holder_country"]) == ("Holding S.A.", "LU")


def test_of_a_holder_in_two_registers_the_register_of_owners_alone_is_read() -> None:
    benefits = [{"type": "EJERANDEL_PROCENT", "vaerdier": [element("2021-01-01", vaerdi="0.2499")]}]
    relation = owner(1, element("2020-01-01", vaerdi="0.2"))
    relation["organisationer"].insert(0, organ("Reelle ejere", benefits))
    only_benefits = owner(2) | {"organisationer": [organ("Reelle ejere", benefits)]}
    found = shared(read(relation, only_benefits))
    columns = ("native_id", "valid_from", "pct_min", "pct_max")
    assert found["holdings"].select(columns).rows() == [("1", date(2020, 1, 1), Decimal(20), Decimal(25))]
    assert found["holdings_earlier"].is_empty()


def test_bands_are_never_added_up() -> None:
    """Twelve owners of the lowest band are twelve bands, as one genuine record has them."""
    found = shared(read(*(owner(unit, element("2020-01-01", vaerdi="0.05")) for unit in range(1, 13))))
    bounds = found["holdings"].select("pct", "pct_min", "pct_max").rows()
    assert bounds == [(None, Decimal(5), Decimal(10))] * 12


def test_a_member_may_have_a_kind_of_value_twice() -> None:
    relation = owner(1, element("2018-01-01", "2019-12-31", vaerdi="0.1"))
    attributes = relation["organisationer"][0]["medlemsData"][0]["attributter"]
    attributes.append({"type": "EJERANDEL_PROCENT", "vaerdier": [element("2020-01-01", vaerdi="0.25")]})
    found = shared(read(relation))
    assert found["holdings_earlier"]["pct_min"].to_list() == [Decimal(10)]
    assert found["holdings"]["pct_min"].to_list() == [Decimal(25)]


def test_a_relation_without_a_participant_is_counted() -> None:
    relation = owner(1, element("2020-01-01", vaerdi="0.5")) | {"deltager": None}
    found = read(relation)
    assert signals(found) == {("unknown_holder", "deltager"): 1}
    assert shared(found)["companies"].height == 1


def everything() -> dict[str, Any]:
    """A record with all that a company's record says of persons."""
    share = [{"type": "EJERANDEL_PROCENT", "vaerdier": [element("2020-01-01", vaerdi="0.2499")]}]
    legal = owner(
        1,
        element("2020-01-01", vaerdi="0.2"),
        beliggenhedsadresse=[element("2010-01-01", landekode="DK", vejnavn="Hjemvej")],
    )
    legal["organisationer"] += [organ("Reelle ejere", share), organ("Bestyrelse", [], "LEDELSESORGAN")]
    director = {
        "deltager": {"enhedsNummer": 2, "navne": [element(None, navn="Dir Ektør")]},
        "organisationer": [organ("Direktion", [], "LEDELSESORGAN")],
    }
    return company(
        deltagerRelation=[legal, director],
        telefonNummer=[element("2020-01-01", kontaktoplysning="70605252", hemmelig=True)],
        elektroniskPost=[element("2020-01-01", kontaktoplysning="a@b.dk", hemmelig=False)],
        virksomhedMetadata={"nyesteKontaktoplysninger": ["70605252"], "sammensatStatus": "NORMAL"},
        attributter=[{"type": "FORMÅL", "vaerdier": [element("2020-01-01", vaerdi="Drives af 010203-1234")]}],
    )


SECRETS = ("Hjemvej", "Reelle", "0.2499", "Bestyrelse", "Dir Ekt", "70605252", "a@b.dk", "010203-1234")


@check_cases("packed", [False, True])
def test_what_is_archived_has_legal_owners_alone(packed: bool) -> None:
    body = answer(everything())
    archived = redact(io.BytesIO(gzip.compress(body) if packed else body)).read()
    text = json.dumps(json.loads(archived), ensure_ascii=False)
    assert [word for word in SECRETS if word in text] == []
    assert "Ejer 1" in text
    assert batches(COMPANIES, archived)[1].rows.rows() == batches(COMPANIES, body)[1].rows.rows()
    assert batches(COMPANIES, archived)[0].rows.rows() == batches(COMPANIES, body)[0].rows.rows()


def test_the_country_of_a_secret_address_is_not_archived() -> None:
    lives = [element("2010-01-01", landekode="SE")]
    holder = owner(7, element("2020-01-01", vaerdi="0.5"), beliggenhedsadresse=lives, adresseHemmelig=True)
    archived = redact(io.BytesIO(answer(company(deltagerRelation=[holder], beliggenhedsadresse=[])))).read()
    assert b'"SE"' not in archived
    assert b"Ejer 7" in archived


def test_members_that_are_not_documented_are_removed_and_told_when_read() -> None:
    record = company(nyt={"cpr": "x"}, navne=[element("2001-02-03", navn="EKSEMPEL A/S", fornavn="Per")])
    archived = redact(io.BytesIO(answer(record))).read()
    assert b"fornavn" in archived  # its name alone
    assert b"Per" not in archived
    assert signals(batches(COMPANIES, archived)) == {("unknown_key", "fornavn"): 1, ("unknown_key", "nyt"): 1}


@check_cases(
    "body",
    [
        b'{"took":1,"HITS":{"hits":[{"_source":{"Vrvirksomhed":{"navne":"Per Son"}}}]}}',
        b'{"took":1,"hits":{"hits":{"a":"Per Son"}}}',
        b'{"_id":"1","_source":["Per Son"]}',
        b'{"_id":"1","navn":"Per Son"}',
        b'{"_id":"1","_source":{"Vrvirksomhed":{"deltagerRelation":[1,{"organisationer":"Per Son"},{"deltager":["Per Son"]}]}}}',
    ],
)
def test_nothing_of_another_shape_comes_through(body: bytes) -> None:
    assert b"Per Son" not in redact(io.BytesIO(body)).read()


def test_lines_are_redacted_one_by_one_across_blocks() -> None:
    hit = json.dumps({"_id": "1", "_source": {"Vrvirksomhed": everything()}}).encode()
    archived = redact(io.BytesIO(b"\n".join([hit] * 40))).read()
    assert archived.count(b"Ejer 1") == 40
    assert b"Hjemvej" not in archived
    assert len(archived.splitlines()) == 40


def test_records_of_other_indexes_are_archived_empty() -> None:
    person = answer({"enhedsNummer": 1, "navne": [{"navn": "Per Son"}]}, kind="Vrdeltagerperson")
    archived = redact(io.BytesIO(person)).read()
    assert b"Per Son" not in archived
    assert b"Vrdeltagerperson" in archived


@check_cases("body", [b'{"took":1,"hits":', b"\x00\x01binary", b'{"_id":"1","_source":{"Vrvirksomhed":[1]}}'])
def test_what_cannot_be_redacted_is_replaced_by_the_reason(body: bytes) -> None:
    assert b"unreadable" in redact(io.BytesIO(body)).read()


def test_a_share_that_ends_before_it_begins_is_no_holding_and_told() -> None:
    found = batches(
        COMPANIES, answer(company(deltagerRelation=[owner(1, element("2020-01-01", "2010-01-01", vaerdi="0.5"))]))
    )
    assert shared(found)["holdings"].is_empty()
    assert signals(found) == {("implausible_period", "ejerandel"): 1}


def test_a_share_in_another_writing_is_unknown_and_told() -> None:
    found = batches(COMPANIES, answer(company(deltagerRelation=[owner(1, element("2020-01-01", vaerdi="5E-2"))])))
    assert shared(found)["holdings"]["pct_min"].to_list() == [None]
    assert signals(found) == {("unknown_band", "5E-2"): 1}
