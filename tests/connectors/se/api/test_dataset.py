"""Answers of the API: blocks, failures that are no statements, what counts beside the bulk, persons."""

import io
import json
from datetime import date, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from connectors.contract.dataset import NotApplicable, RecognisedFile, UnreadableFileError
from connectors.se import SWEDEN
from tests.connectors.se import bulk_files
from tests.connectors.se.answer_files import API, FINE, answer, batches, failed, organisation, rows
from tests.connectors.se.bulk_files import BULK, INSTANT, ONE, PERSON, SCB, TODAY, TWO, present, signals
from tests.tables import check_cases

LATER = INSTANT + timedelta(days=1)
EARLIER = INSTANT - timedelta(days=1)
KINDS = ("ORGANISATION_FINNS_EJ", "OGILTIG_BEGARAN", "OTILLGANGLIG_UPPGIFTSKALLA", "TIMEOUT")
BLOCKS = tuple(key for key, value in organisation().items() if isinstance(value, dict) and "fel" in value)


@cache
def bulk_tables() -> dict[str, pl.LazyFrame]:
    """What both bulk files say of one company."""
    said = bulk_files.bulk(bulk_files.organisation(ONE))
    known = bulk_files.scb(bulk_files.unit(ONE))
    return {
        "se_bolagsverket": present(bulk_files.rows(bulk_files.batches(BULK, said))),
        "se_scb": present(bulk_files.rows(bulk_files.batches(SCB, known))),
    }


@cache
def whole_profile() -> dict[str, Any]:
    """The profile after bulk files and one answer in which no block failed."""
    return profile((answer(organisation()), LATER))


def profile(*bodies: tuple[bytes, datetime], with_bulk: bool = True) -> dict[str, Any]:
    """The profile after some answers, each block as it was answered last."""
    tables = dict(bulk_tables()) if with_bulk else {}
    if bodies:
        answers = pl.concat([present(rows(body, at), at) for body, at in bodies]).sort("_observed_at")
        key = ["organisationsnummer", "namnskyddslopnummer", "block"]
        tables["se_organisation"] = answers.unique(key, keep="last", maintain_order=True)
    (found,) = SWEDEN.to_shared_tables(tables, TODAY)["companies"].to_dicts()
    return {name: value for name, value in found.items() if name not in ("sources", "observed_at")}


def test_an_answer_alone_makes_a_profile() -> None:
    found = profile((answer(organisation()), INSTANT), with_bulk=False)
    assert (found["name"], found["status"], found["status_source"]) == ("Svar AB", "active", "se.organisationer")
    assert (found["industry_code"], found["industry_label"], found["industry_scheme"]) == (
        "62100",
        "Programmering",
        "SNI2025",
    )
    assert (found["municipality"], found["registered_date"], found["legal_form_label"]) == (
        "Uppsala",
        date(2000, 1, 23),
        "Aktiebolag",
    )
    assert (found["address_lines"], found["address_country"]) == (["Storgatan 1"], "SE")


def test_the_later_of_bulk_and_answer_counts() -> None:
    assert profile((answer(organisation()), LATER))["name"] == "Svar AB"
    assert profile((answer(organisation()), EARLIER))["name"] == "Exempel AB"
    assert profile((answer(organisation()), EARLIER))["municipality"] == "Stockholm"


def test_the_answers_label_stands_beside_the_bulks_code_where_both_agree() -> None:
    assert profile((answer(organisation()), EARLIER))["industry_label"] == "Programmering"
    other = {"sni": [{"kod": "62201", "klartext": "Annat"}], **FINE}
    found = profile((answer(organisation(naringsgrenOrganisation=other)), EARLIER))
    assert (found["industry_code"], found["industry_label"]) == ("62100", "Dataprogrammering")


@pytest.mark.parametrize("kind", KINDS)
@check_cases("block", BLOCKS)
def test_pitfall_4_a_failed_block_leaves_what_is_known(block: str, kind: str) -> None:
    partial = answer(organisation(**{block: failed(kind)}))
    after = profile((answer(organisation()), LATER), (partial, LATER + timedelta(days=1)))
    assert after == whole_profile()
    assert ("partial_answer", f"{block}: {kind}") in signals(batches(partial))


@settings(max_examples=50)
@given(st.sets(st.sampled_from(BLOCKS), min_size=1), st.sampled_from(KINDS[1:]))
@pytest.mark.slow
def test_pitfall_4_no_mixture_of_failures_changes_a_profile(blocks: set[str], kind: str) -> None:
    partial = answer(organisation(**{block: failed(kind, kod=None) for block in blocks}))
    after = profile((answer(organisation()), LATER), (partial, LATER + timedelta(days=1)))
    assert after == whole_profile()


def test_pitfall_4_in_a_partial_answer_nothing_is_no_statement() -> None:
    over = organisation(
        avregistreradOrganisation={"avregistreringsdatum": "2026-05-05T00:00:00.000+00:00", **FINE},
        avregistreringsorsak={"kod": "LIAV", "klartext": "Likvidation", **FINE},
    )
    first = (answer(over), LATER)
    found = profile(first)
    assert (found["status"], found["dissolved_date"], found["registry_status"]) == (
        "dissolved",
        date(2026, 5, 5),
        "Likvidation",
    )
    partial = answer(organisation(verksamOrganisation=failed()))
    assert profile(first, (partial, LATER + timedelta(days=1)))["status"] == "dissolved"
    assert profile(first, (answer(organisation()), LATER + timedelta(days=1)))["status"] == "active"


def test_a_day_of_deregistration_that_does_not_read_says_nothing() -> None:
    """Taken for none, it would revive a company that the bulk file has as deregistered."""
    known = profile((answer(organisation(avregistreradOrganisation={"avregistreringsdatum": "2026-05-05"})), LATER))
    for text in ("05/05/2026", "2026-02-30", "0001-01-01"):
        odd = answer(organisation(avregistreradOrganisation={"avregistreringsdatum": text, **FINE}))
        assert signals(batches(odd)) == {("unreadable_value", "avregistreringsdatum"): 1}
        first = (answer(organisation(avregistreradOrganisation={"avregistreringsdatum": "2026-05-05"})), LATER)
        assert profile(first, (odd, LATER + timedelta(days=1)))["status"] == known["status"] == "dissolved"


def test_reason_of_deregistration_without_a_day_is_told_and_ends_the_company() -> None:
    over = answer(organisation(avregistreringsorsak={"kod": "KKAV", "klartext": "Konkurs", **FINE}))
    assert signals(batches(over)) == {("no_day", "avregistreringsdatum"): 1}
    found = profile((over, LATER))
    assert (found["status"], found["dissolved_date"], found["registry_status"]) == ("dissolved", None, "Konkurs")


@pytest.mark.parametrize("order", [1, -1])
def test_of_several_firms_that_are_all_deregistered_the_last_end_counts(order: int) -> None:
    firms = [
        organisation(
            namnskyddslopnummer=place,
            avregistreradOrganisation={"avregistreringsdatum": day, **FINE},
            avregistreringsorsak={"kod": reason, "klartext": reason, **FINE},
        )
        for place, day, reason in ((1, "2010-01-01", "VERKUPP"), (2, "2018-05-05", "KKAV"))
    ]
    found = profile((answer(*firms[::order]), LATER))
    assert (found["dissolved_date"], found["registry_status"]) == (date(2018, 5, 5), "Konkurs")


@check_cases(
    ("block", "said", "signal"),
    [
        ("organisationsform", {"kod": "NYTT", "klartext": "Ny form"}, ("unknown_legal_form", "NYTT")),
        ("juridiskForm", {"kod": "77", "klartext": "Ny form"}, ("unknown_legal_form", "77")),
        ("avregistreringsorsak", {"kod": "NYTT", "klartext": "Nytt"}, ("unknown_reason", "NYTT")),
        ("verksamOrganisation", {"kod": "VILANDE"}, ("unknown_code", "verksamOrganisation VILANDE")),
        ("naringsgrenOrganisation", {"sni": [{"kod": "99998", "klartext": "?"}]}, ("unknown_industry", "99998")),
        ("naringsgrenOrganisation", {"sni": [{"kod": "6210", "klartext": "?"}]}, ("unreadable_value", "sni")),
    ],
)
def test_codes_that_no_list_has_are_told(block: str, said: dict[str, Any], signal: tuple[str, str]) -> None:
    assert signals(batches(answer(organisation(**{block: {**said, **FINE}})))) == {signal: 1}


@pytest.mark.parametrize("order", [1, -1])
def test_of_several_firms_of_one_number_one_that_is_registered_counts(order: int) -> None:
    over = {"avregistreringsdatum": "2020-05-05", **FINE}
    firms = [
        organisation(namnskyddslopnummer=1, avregistreradOrganisation=over),
        organisation(namnskyddslopnummer=2, avregistreradOrganisation=None),
    ]
    assert profile((answer(*firms[::order]), LATER))["status"] == "active"


def test_pitfall_4_an_answer_without_identity_is_listed() -> None:
    found = batches(answer(organisation(organisationsidentitet=None)))
    assert found[0].rows.is_empty()
    assert "partial" in found[0].rejects["reason"][0]


def test_unknown_to_both_producers_is_no_company() -> None:
    gone = {
        key: failed("ORGANISATION_FINNS_EJ") for key in organisation() if key.startswith(("o", "a", "p", "j", "v", "n"))
    }
    gone |= {"organisationsidentitet": {"identitetsbeteckning": ONE}, "namnskyddslopnummer": None}
    found = batches(json.dumps({"organisationer": [gone]}).encode())
    assert found[0].rows.is_empty()
    assert found[0].rejects["reason"][0] == "not a company: unknown to the registers"


@pytest.mark.parametrize("spelling", ["pagaende", "pagande"])
def test_pitfall_3_both_spellings_of_the_proceedings(spelling: str) -> None:
    key = f"{spelling}AvvecklingsEllerOmstruktureringsforfarande"
    said = [{"kod": "KK", "klartext": "Konkurs", "fromDatum": "2024-01-26T00:00:00.000+00:00"}]
    element = organisation()
    del element["pagaendeAvvecklingsEllerOmstruktureringsforfarande"]
    found = profile((answer(element | {key: {f"{key}Lista": said, **FINE}}), LATER))
    assert (found["status"], found["status_detail"], found["status_date"]) == (
        "dormant",
        "bankruptcy",
        date(2024, 1, 26),
    )


@pytest.mark.parametrize("end", ["KKUHAVD", "KKUHAVD-AVSLAVOMFO"])
def test_an_answers_proceeding_that_has_ended_is_no_status(end: str) -> None:
    said = [{"kod": "KK", "klartext": "Konkurs", "fromDatum": "2024-01-26"}, {"kod": end, "fromDatum": "2025-01-26"}]
    name = "pagaendeAvvecklingsEllerOmstruktureringsforfarande"
    body = answer(organisation(**{name: {f"{name}Lista": said, **FINE}}))
    found = profile((body, LATER))
    assert (found["status"], found["status_date"], signals(batches(body))) == ("active", None, {})


@pytest.mark.parametrize("code", ["", " ", "-ORGFO"])
def test_a_code_without_signs_is_none(code: str) -> None:
    said = organisation(organisationsform={"kod": code, "klartext": "Aktiebolag", **FINE})
    assert profile((answer(said), INSTANT), with_bulk=False)["legal_form_code"] == "49"  # the statistical form


def test_labels_that_say_nothing_and_blanks_are_cleaned() -> None:
    said = organisation(naringsgrenOrganisation={"sni": [{"kod": "62.10.0", "klartext": "n/a"}], **FINE})
    found = profile((answer(said), INSTANT), with_bulk=False)
    assert (found["industry_code"], found["industry_label"]) == ("62100", "Dataprogrammering")


def test_drift_is_told() -> None:
    strange = organisation(nytt={"x": 1})
    strange["organisationsdatum"] = {"registreringsdatum": "i går", **FINE}
    found = batches(answer(strange))
    assert set(signals(found)) == {("unknown_key", "nytt"), ("unreadable_value", "registreringsdatum")}


@check_cases("body", [b"", b"<html>", b'{"organisationer": 1}', b"[]", answer(organisation())[:100], b'"x"'])
def test_other_bodies_are_unreadable_with_and_without_the_door(body: bytes) -> None:
    with pytest.raises(UnreadableFileError):
        batches(body)
    with pytest.raises(UnreadableFileError):
        batches(kept(body))


def kept(body: bytes) -> bytes:
    assert API.redact is not None
    return API.redact(io.BytesIO(body)).read()


def test_pitfall_2_a_persons_number_inside_a_companys_answer_is_masked() -> None:
    told = organisation(ONE, verksamhetsbeskrivning={"beskrivning": "Ägare 19701212-1234", **FINE})
    (left,) = json.loads(kept(answer(told)))["organisationer"]
    assert left.pop("verksamhetsbeskrivning")["beskrivning"] == "Ägare ********-****"
    told.pop("verksamhetsbeskrivning")
    assert left == told


@pytest.mark.parametrize("hidden", [b'"x": 197012121238', b'"x": "19701212-1234"', b'"x": {"name": "Hemlig"}'])
def test_pitfall_2_a_person_in_a_member_that_stands_twice_is_not_kept(hidden: bytes) -> None:
    body = answer(organisation())
    left = kept(body.replace(b'"organisationsidentitet"', hidden + b', "x": 1, "organisationsidentitet"'))
    assert (b"1970" not in left, b"Hemlig" not in left) == (True, True)
    assert json.loads(left)["organisationer"] == [{"x": 1, **organisation()}]


def test_pitfall_2_a_persons_number_that_is_no_text_is_masked() -> None:
    (left,) = json.loads(kept(answer({"x": 1212121212, "y": [1212121212.0, 5560000001], **organisation()})))[
        "organisationer"
    ]
    assert (left["x"], left["y"]) == ("*" * 10, ["*" * 10 + ".0", 5560000001])


@pytest.mark.parametrize("beside", ['"191212121212"', "1212121212", '{"x": ["19701212-1234"]}'])
def test_pitfall_2_a_persons_number_beside_the_companies_is_not_kept(beside: str) -> None:
    left = kept(answer(organisation()).replace(b"{", f'{{"meddelande": {beside}, '.encode(), 1))
    assert json.loads(left) == {"organisationer": [organisation()]}


def test_an_answer_nested_too_deep_is_not_kept() -> None:
    deep = b'{"organisationsidentitet": {"identitetsbeteckning": "5560000001"}, "x": %s1%s}'
    for depth in (300, 600, 900, 100_000):
        body = b'{"organisationer": [' + deep % (b"[" * depth, b"]" * depth) + b"]}"
        assert kept(body) == body or b"unreadable" in kept(body)


@pytest.mark.parametrize(
    "changed",
    [
        {"organisationsidentitet": {"identitetsbeteckning": PERSON}},
        {"organisationsidentitet": {"identitetsbeteckning": ONE, "typ": {"kod": "GDNUMMER"}}},
        {"organisationsidentitet": None},
        {"organisationsform": {"kod": "E", **FINE}},
    ],
)
def test_pitfall_2_persons_leave_answers_at_the_door(changed: dict[str, Any]) -> None:
    secret = organisation(TWO, verksamhetsbeskrivning={"beskrivning": "Hemliga", **FINE}, **changed)
    left = kept(answer(organisation(), secret))
    assert b"Hemliga" not in left
    assert set(rows(left)["organisationsnummer"].to_list()) == {ONE}
    assert isinstance(API.recognise_file("x.json", answer(secret)), NotApplicable)


def test_an_answer_about_companies_is_kept_byte_for_byte() -> None:
    body = answer(organisation(), organisation(TWO))
    assert kept(body) == body


@pytest.mark.sources
def test_the_registrys_own_examples(sources: Path) -> None:
    folder = sources / "se" / "bolagsverket_api"
    judged = {path.name: API.recognise_file(path.name, path.read_bytes()[:65536]) for path in folder.iterdir()}
    assert [name for name, found in judged.items() if isinstance(found, RecognisedFile)] == [
        "organisationer-aktiebolag-svar.json"
    ]
    assert all(found.reason != "no JSON" for found in judged.values() if isinstance(found, NotApplicable))
    body = (folder / "organisationer-aktiebolag-svar.json").read_bytes()
    assert signals(batches(body)) == {}
    tables = {"se_organisation": present(rows(body))}
    (found,) = SWEDEN.to_shared_tables(tables, TODAY)["companies"].to_dicts()
    assert (found["org_number"], found["name"], found["status"], found["dissolved_date"]) == (
        "5299999994",
        "Cykelbolaget AB",
        "dissolved",
        date(2023, 5, 5),
    )
    assert (found["industry_code"], found["industry_label"]) == ("47642", "Specialiserad butikshandel med cyklar")
    persons = (folder / "organisationer-enskild-svar.json").read_bytes()
    assert json.loads(kept(persons)) == {"organisationer": []}


@pytest.mark.parametrize("kind", ["OTILLGANGLIG_UPPGIFTSKALLA", "TIMEOUT"])
def test_recognise_file_outage_without_identity_is_told_as_an_outage(kind: str) -> None:
    down = {block: failed(kind) for block in BLOCKS}
    found = API.recognise_file("x.json", answer(organisation(**down, organisationsidentitet=None)))
    assert isinstance(found, NotApplicable)
    assert found.reason.startswith(f"an outage of the registry's producers ({kind})")
