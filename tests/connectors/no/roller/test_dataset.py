"""Roles: what passes the door, who owns, and how much (docs/formats/no.md 4)."""

import gzip
import io
import json
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from connectors.contract.dataset import ArchiveMember, Batch, NotApplicable, Scope, UnreadableFileError
from connectors.kit.formats import plain_head
from connectors.no.roller.dataset import DATASET
from connectors.no.roller.holdings import map_holdings, parse_percentage
from connectors.no.roller.redact import redact
from tests.tables import check_cases

NOW = datetime(2026, 11, 21, 8, tzinfo=UTC)
BORN = "1961-02-03"


def role(code: str, **more: Any) -> dict[str, Any]:
    return {"type": {"kode": code, "beskrivelse": code}, "avregistrert": False, "rekkefolge": 0, **more}


def person(first: str = "Kari", last: str = "Nordmann", **more: Any) -> dict[str, Any]:
    name = {"fornavn": first, "etternavn": last, **more}
    return {"person": {"fodselsdato": BORN, "navn": name, "erDoed": False}}


def company(number: str = "810006242", form: str = "AS", *name: str) -> dict[str, Any]:
    return {
        "enhet": {
            "organisasjonsnummer": number,
            "organisasjonsform": {"kode": form},
            "navn": list(name) or ["DELTAKER", "AS"],
            "erSlettet": False,
        }
    }


def answer(*roles: dict[str, Any], group: str = "DELT", number: str = "810005912") -> dict[str, Any]:
    href = f"https://data.brreg.no/enhetsregisteret/api/enheter/{number}/roller"
    groups = [{"type": {"kode": group}, "sistEndret": "2021-02-01", "roller": list(roles)}]
    return {"rollegrupper": groups, "_links": {"self": {"href": href}}}


def through_the_door(body: Any) -> bytes:
    text = body if isinstance(body, bytes) else json.dumps(body, ensure_ascii=False).encode()
    with redact(io.BytesIO(text)) as kept:
        return kept.read()


def read(body: Any, name: str = "810005912.json") -> list[Batch]:
    text = through_the_door(body)
    piece = ArchiveMember("no.roller", name, "0" * 64, NOW, Scope.PART, "b", lambda: io.BytesIO(text))
    return list(DATASET.read_batches(piece))


def owned(body: Any) -> list[dict[str, Any]]:
    rows = pl.concat([batch.rows for batch in read(body)])
    instant = pl.Datetime("us", "UTC")
    meta = rows.with_columns(
        pl.lit(NOW, instant).alias("_observed_at"),
        pl.lit("0" * 64).alias("_raw"),
        pl.lit(None, instant).alias("_retired_at"),
    )
    return map_holdings(meta.lazy()).to_dicts()


def signals(body: Any) -> set[tuple[str, str]]:
    return {(signal.code, signal.subject) for batch in read(body) for signal in batch.signals}


@check_cases(
    ("shares", "due"),
    [
        (("80%", "60%"), None),
        (("100%", "100 %"), None),
        (("66,67%", "33,34%"), ["66.67", "33.34"]),
        (("50%", "30%"), ["50", "30"]),
    ],
)
def test_partners_with_more_than_the_whole_have_no_known_share(shares: tuple[str, str], due: list[str] | None) -> None:
    body = answer(*(role("DTPR", ansvarsandel=one, **person(first)) for first, one in zip("AB", shares, strict=True)))
    assert [found["pct"] for found in owned(body)] == ([Decimal(one) for one in due] if due else [None, None])
    assert (("shares_above_total", "ansvarsandel") in signals(body)) == (due is None)


@pytest.mark.parametrize("flag", ["fratraadt", "avregistrert"])
def test_a_role_whose_end_is_no_flag_is_told(flag: str) -> None:
    assert ("unreadable_value", flag) in signals(answer(role("DTPR", ansvarsandel="50%", **person(), **{flag: "ja"})))


def test_birth_dates_and_persons_who_own_nothing_leave_at_the_door() -> None:
    administrator = {"bostyrer": {"navn": "Adv. Ola Nordmann", "postadresse": {"adresse": ["Gata 1"]}}}
    body = answer(
        role("LEDE", **person("Styre", "Leder")),
        role("BOBE", **administrator),
        role("INNH", **person("Eier", "Person")),
        role("DAGL", fullmektig={"navn": "Skjult Person"}),
    )
    kept = through_the_door(body).decode()
    assert BORN not in kept
    assert not [word for word in ("Styre", "Leder", "Ola", "Gata", "Skjult") if word in kept]
    assert "Eier" in kept
    assert signals(body) == {("unknown_key", "fullmektig")}


def test_what_nobody_announced_leaves_from_within_members_that_stay() -> None:
    within = company()["enhet"] | {"kontakt": person()}
    body = answer(role("DTPR", enhet=within, valgtAv={"kode": "AREP", "av": [person()], "navn": [person()]}))
    kept = through_the_door(body)
    assert BORN.encode() not in kept
    assert b"Nordmann" not in kept
    assert b'"valgtAv":{"kode":"AREP","navn":[{}]}' in kept
    assert signals(body) == {("unknown_key", "av"), ("unknown_key", "kontakt"), ("unknown_key", "person")}


@pytest.mark.parametrize("packed", [False, True])
def test_the_complete_file_is_redacted_and_read_as_a_stream(packed: bool) -> None:
    entities = [
        {"organisasjonsnummer": str(810005912 + place), **answer(role("INNH", **person()))} for place in range(3000)
    ]
    text = json.dumps(entities).encode()
    body = gzip.compress(text) if packed else text
    assert BORN.encode() not in through_the_door(body)
    batches = read(body, "roller_alle.json")
    assert sum(batch.rows.height for batch in batches) == 3000


@check_cases(
    "body",
    [
        b"<html>Vent</html>",
        b'[{"organisasjonsnummer":"810005912","fodselsdato":"1961-02-03"}]',
        b'{"rollegrupper":[{"roller":7}]}',
        json.dumps([{"organisasjonsnummer": "810005912", **answer()}, {"person": BORN}]).encode(),
        json.dumps([answer()]).encode()[:-3],
        gzip.compress(json.dumps([answer()]).encode())[:-30],
    ],
)
def test_what_nobody_could_look_through_is_not_kept_and_is_refused(body: bytes) -> None:
    assert BORN.encode() not in through_the_door(body)
    with pytest.raises(UnreadableFileError):
        read(body, "roller_alle.json")


def test_pitfall_11_the_name_of_an_entity_is_an_array() -> None:
    (holding,) = owned(
        answer(role("DTPR", **company("810006242", "AS", "ROLFSENS", "DELTAKER AS"), ansvarsandel="50%"))
    )
    assert holding["holder_name"] == "ROLFSENS DELTAKER AS"
    assert holding["native_id"] == "DTPR:810006242"
    assert holding["holder_company_id"] == "firm:NO:810006242"


@check_cases(
    ("stated", "percent"),
    [
        ("50%", "50"),
        ("33,33 %", "33.3300"),
        ("12.5%", "12.5000"),
        ("1/3", "33.3333"),
        ("100%", "100"),
        ("0%", None),
        ("101%", None),
        ("3/2", None),
        ("halvparten", None),
        ("", None),
        (None, None),
        (50, None),
    ],
)
def test_shares_as_people_write_them(stated: Any, percent: str | None) -> None:
    found = parse_percentage(stated)
    assert found == (None if percent is None else Decimal(percent))


def test_a_share_in_words_is_null_and_told_of() -> None:
    body = answer(role("DTPR", **company(), ansvarsandel="halvparten"))
    (holding,) = owned(body)
    assert (holding["pct"], holding["basis"]) == (None, None)
    assert signals(body) == {("unreadable_value", "ansvarsandel")}


@pytest.mark.parametrize(("code", "form", "kind"), [("HFOR", "UTLA", "company"), ("EIKM", "KOMM", "state")])
def test_a_head_office_and_an_owner_municipality_own_the_whole(code: str, form: str, kind: str) -> None:
    (holding,) = owned(answer(role(code, **company("810006242", form)), group=code))
    assert (holding["pct"], holding["basis"], holding["holder_type"]) == (Decimal(100), "exact", kind)
    assert holding["holder_company_id"] == (None if form == "UTLA" else "firm:NO:810006242")
    assert holding["holder_country"] == (None if form == "UTLA" else "NO")


def test_of_several_who_stand_for_the_whole_nobody_has_all() -> None:
    found = owned(answer(role("EIKM", **company("810006242")), role("EIKM", **company("810004282"))))
    assert [holding["pct"] for holding in found] == [None, None]


def test_a_proprietor_is_a_name_and_nothing_else() -> None:
    body = answer(role("INNH", **person("Kari", "Nordmann", mellomnavn="Li")), group="INNH")
    (holding,) = owned(body)
    assert (holding["holder_name"], holding["holder_type"]) == ("Kari Li Nordmann", "person")
    assert (holding["holder_country"], holding["pct"]) == (None, Decimal(100))
    assert holding["valid_from"] == date(2021, 2, 1)


def test_two_persons_of_one_name_are_two_holders() -> None:
    body = answer(*[role("DTPR", **person(), ansvarsandel="50%")] * 2)
    assert [holding["native_id"] for holding in owned(body)] == ["DTPR:kari nordmann", "DTPR:kari nordmann:2"]
    assert signals(body) == {("namesakes", "DTPR")}, "nothing that is stored tells which of them is which"
    others = answer(role("DTPR", **person("Ola")), role("DTPR", **person()), role("DTPR", **company()))
    assert signals(others) == set()


def test_roles_that_ended_or_own_nothing_do_not_count() -> None:
    assert not owned(
        answer(
            role("DTPR", **company(), ansvarsandel="50%", fratraadt=True),
            role("DTPR", **company("810004282"), ansvarsandel="50%") | {"avregistrert": True},
            role("DTSO", **company("810004282")),
            role("REVI", **company("810004282")),
        )
    )


def test_unknown_roles_are_told_of() -> None:
    assert signals(answer(role("XYZ"))) == {("unknown_code", "role XYZ")}
    assert signals(answer(role("INNH"))) == {("unknown_holder", "INNH")}


@pytest.mark.parametrize("code", [[], {}, 7, None])
def test_a_role_whose_code_is_no_text_is_told_of_and_the_others_stay(code: Any) -> None:
    odd = role("INNH", **person()) | {"type": {"kode": code}}
    body = answer(odd, role("DTPR", **company(), ansvarsandel="50%"))
    assert signals(body) == {("unknown_code", f"role {code}")}
    assert [row["pct"] for row in owned(body)] == [Decimal(50)]


@pytest.mark.parametrize(
    "entity",
    [{"organisasjonsnummer": ["810006242"], "organisasjonsform": {"kode": "AS"}}, {"organisasjonsnummer": "12"}, {}],
)
def test_an_owner_without_a_number_is_told_of_and_holds_nothing(entity: dict[str, Any]) -> None:
    body = answer(role("DTPR", enhet=entity, ansvarsandel="50%"))
    assert signals(body) == {("unknown_holder", "DTPR")}
    assert owned(body) == []


@pytest.mark.parametrize("name", [None, "", " ", {}, {"fornavn": " ", "etternavn": None}])
def test_an_owner_without_a_name_is_told_of_and_holds_nothing(name: Any) -> None:
    body = answer(role("DTPR", person={"fodselsdato": BORN, "navn": name, "erDoed": False}))
    assert owned(body) == []
    assert signals(body) == {("unknown_holder", "DTPR")}


def test_an_owner_whose_form_is_no_text_is_an_owner_all_the_same() -> None:
    entity = {"organisasjonsnummer": "810006242", "organisasjonsform": {"kode": []}, "navn": ["EIER"]}
    (holding,) = owned(answer(role("DTPR", enhet=entity, ansvarsandel="50%")))
    assert (holding["native_id"], holding["pct"]) == ("DTPR:810006242", Decimal(50))


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("many", [False, True])
def test_the_mark_of_utf_8_costs_no_answer_at_the_door(packed: bool, many: bool) -> None:
    one = {"organisasjonsnummer": "810005912", **answer(role("INNH", **person()))}
    text = b"\xef\xbb\xbf" + json.dumps([one] if many else one).encode()
    body = gzip.compress(text) if packed else text
    kept = through_the_door(body)
    assert BORN.encode() not in kept
    assert b"unreadable" not in kept
    assert plain_head(body)[:1] == (b"[" if many else b"{")
    assert not isinstance(DATASET.recognise_file("roller/810005912.json", body), NotApplicable)
    for stored in (kept, text):  # what was archived, and a file that never met the door
        piece = ArchiveMember(
            "no.roller", "x.json", "0" * 64, NOW, Scope.PART, "b", lambda stored=stored: io.BytesIO(stored)
        )
        assert [row[0] for batch in DATASET.read_batches(piece) for row in batch.rows.rows()] == ["810005912"]


def test_an_empty_body_is_no_roles_and_the_name_says_whose() -> None:
    (batch,) = read(b"", "810005912-20261103T040000.json")
    assert batch.rows.rows() == [("810005912", "[]")]
    assert isinstance(DATASET.recognise_file("roller/tom.json", b""), NotApplicable)


def test_blanks_in_front_of_an_answer_do_not_say_that_there_are_no_roles() -> None:
    body = b"\n" * 5_000 + json.dumps(answer(role("INNH", **person()))).encode()
    kept = through_the_door(body)
    assert BORN.encode() not in kept
    with pytest.raises(UnreadableFileError):
        read(kept, "810005912-20261103T040000.json")


@pytest.mark.sources
def test_the_genuine_answers(sources: Path) -> None:
    folder = sources / "no" / "roller"
    partners = owned((folder / "roller-enhet-ansvarsandel.json").read_bytes())
    assert {(row["holder_name"], row["pct"]) for row in partners} == {
        ("Rolfsens Deltakerorganisasjon AS", Decimal(50)),
        ("Sult AS", Decimal(50)),
    }
    for name in ("roller-915330193-konkurs.json", "roller-person.json"):
        body = (folder / name).read_bytes()
        assert owned(body) == []
        assert signals(body) == set()
        kept = through_the_door(body)
        assert b"fodselsdato" not in kept
        assert b"Nordmann" not in kept
