"""What must not come through a redaction is known where it stands, and nothing else is taken for it."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from connectors import DECLARED
from tests.fuzz import packs
from tests.fuzz.privacy import PRIVATE, told
from tests.tables import check_cases

PERSON: dict[str, Any] = {
    "cik": "1", "entityType": "other", "sic": "", "insiderTransactionForOwnerExists": 1, "tickers": [],
    "insiderTransactionForIssuerExists": 0, "filings": {"recent": {"form": ["4"]}}, "phone": "5550100",
}  # fmt: skip


def person(**values: Any) -> bytes:
    return json.dumps(PERSON | values).encode()


def golden(category: str) -> str:
    return f'{{"records":[{{"Entity":{{"EntityCategory":{{"$":"{category}"}}}}}}]}}'


def sanction(**values: Any) -> str:
    return json.dumps({"response": {"docs": [{"sn_sanctionEsmaID": "1", **values}]}})


def feed(name: str, text: str) -> str:
    return f"<rss><channel><item><{name}>{text}</{name}></item></channel></rss>"


def announcement(text: str, kind: str = "Holding(s) in Company") -> str:
    return json.dumps({"hits": [{"_source": {"type": kind, "document_content": text}}]})


def participant(role: str = "EJERREGISTER", **address: str) -> str:
    organ = {"hovedtype": "REGISTER", "organisationsNavn": [{"navn": role}], "medlemsData": []}
    relation = {"deltager": {"enhedsNummer": 1, "beliggenhedsadresse": [address]}, "organisationer": [organ]}
    return json.dumps({"Vrvirksomhed": {"cvrNummer": 24256790, "deltagerRelation": [relation]}})


CITY = "City of registered office (if applicable) "
BEHIND = " Country of registered office (if applicable) Norway"
FORM = "Resulting situation on the date on which threshold was crossed 5 % "
RULES: list[tuple[str, str | bytes, str | bytes]] = [
    ("dk.virksomhed", participant("Bestyrelse"), participant()),
    ("dk.virksomhed", participant(vejnavn="Vej"), participant(landekode="DK")),
    ("dk.virksomhed", '{"Vrvirksomhed": {"telefonNummer": [1]}}', '{"Vrvirksomhed": {"navne": ["telefonNummer"]}}'),
    ("dk.regnskaber", "<a>010203-1234</a>", "<a>013203-1234 2010203-1234 010203-12345</a>"),
    ("no.newsweb", '{"text": "nr 018150 10260."}', '{"text": "nr 018150 10261."}'),
    ("no.newsweb", '"01815010260"', '"\\\\u01815010260"'),
    ("se.organisationer", '"191212121212"', '"\\\\u191212121212"'),
    ("se.foretagsregister", '{"jes": [{"peOrgNr": "165560000001", "a": [{"tel": "1"}]}], "b": {"epost": "a@example.org"}}', '{"jes": [{"peOrgNr": "165560000001", "namn": "tel"}]}'),
    ("uk.nsm", announcement("City of registered office X Country of registered"), announcement("City of registered office Country of registeredCountry of registered")),
    ("se.scb", "19121212-1212\tExempel\n", "5560000001\t19121212-1213\n"),
    ("uk.psc", '{"a": 1}\n{"x": [{"date_of_birth": {"month": 4}}]}\n', '{"a": 1}\n{"x": "date_of_birth"}\n'),
    ("no.aksjonaer", "h\n923609016;X;A;NAVN;1961;;NOR;1;1\n", "h\n923609016;X;A;NAVN;person;;NOR;1;1\n"),
    ("no.aksjonaer", "h\n1;X;A;NAVN;person;0150 OSLO;NOR;1;1\n", "h\n1;X;A;NAVN;984851006;0150 OSLO;NOR;1;1\n"),
    ("se.insyn", "a;b;c;d;e;f\nX;Y;;;;;Kari\n", "a;b;c;d;e;f;new\nX;Y;;;;\n"),
    ("fi.lei", golden("SOLE_PROPRIETOR"), golden("GENERAL")),
    ("no.lei", "<lei:EntityCategory> SOLE_PROPRIETOR </lei:EntityCategory>", "<lei:LegalName>SOLE_PROPRIETOR</lei:LegalName>"),
    ("uk.lei", 'LEI,Entity.EntityCategory\n1,"SOLE_PROPRIETOR"\n', "LEI,Entity.EntityCategory\n1,FUND\nSOLE_PROPRIETOR,x\n"),
    ("se.lei", '"RA000544"},"registeredAs":"19121212-1212"', '"RA000544"},"registeredAs":"5560000001"'),
    ("fi.esma", sanction(sn_entityName="X Oy", sn_text="Kari"), sanction(sn_entityName="X Oy", sn_text="EUR 1000")),
    ("no.esma", sanction(sn_otherText="x"), "ISIN;instrumentIdentifier;sn_text"),
    ("se.esma", sanction(sn_date="2026-01-01"), sanction()),
    ("se.esma", gzip.compress(b'{"a": "sn_text", "sn_text": 1}', mtime=0), gzip.compress(b"{}", mtime=0)),
    ("uk.fca", feed("description", "of Kari"), feed("description", "GBP 1000")),
    ("us.sec", feed("creator", "Kari"), feed("creator", "LR-26032")),
    ("uk.pra", feed("title", "(no company named)</title><link>x</link><title>"), feed("link", "x")),
    ("us.cftc", feed("author", "Kari"), feed("title", "Example LLC")),
    ("no.tilsyn", "<rss><item>Kari", "<unreadable>no feed</unreadable>"),
    ("uk.nsm", announcement("any", "Results"), announcement("withheld: any", "Results")),
    ("uk.nsm", announcement(f"{CITY}Bergen{BEHIND}"), announcement(f"{CITY} {BEHIND} {FORM}")),
    ("uk.nsm", announcement(f"{CITY}City of registered Bergen{BEHIND}"), announcement(f"{CITY}City of registered{BEHIND}")),
    ("uk.nsm", announcement(f"{FORM} kari@example.org"), announcement(f"{FORM} at 5 @ 10 p")),
    ("uk.nsm", announcement(f"{FORM} 10. Additional information"), announcement(f"Additional information {FORM}")),
    ("us.filer", person(), person(ein="123456789")),
    ("us.filer", person(phone="", ein="000000000", addresses={"a": 1}), person(phone=None)),
    ("us.submissions", packs.packed([("CIK1.json", person())]), packs.packed([("CIK1.json", person(sic="6211"))])),
    ("us.submissions", b'{"addresses": {"street1": "1 Road', b'{"addresses": {"street1": ""'),
    ("us.submissions", gzip.compress(person(), mtime=0), gzip.compress(person(tickers=["X"]), mtime=0)),
    ("us.insiders", "<remarks>078-05-1120</remarks>", "<remarks>000-00-0000</remarks>"),
    ("us.insiders", "<a><com:Street1>1 Road</a>", "<a><com:Street1></com:Street1><street>x</street></a>"),
    ("us.schedule13", "<TEXT><XML><?xml version='1.0'?><a><phone><!-- x -->1</phone></a></XML>", "<TEXT>phone: 1</TEXT>"),
]  # fmt: skip
BORN = '{"date_of_birth": {"month": 4}, "fodselsdato": "1970-01-01"}\n'


def test_every_dataset_that_redacts_says_what_must_not_come_through() -> None:
    redacting = {dataset.key for country in DECLARED for dataset in country.datasets if dataset.redact}
    assert PRIVATE.keys() == redacting


@check_cases(("key", "shown", "hidden"), RULES)
def test_what_is_private_is_known_where_it_stands(key: str, shown: str | bytes, hidden: str | bytes) -> None:
    one, two = (text.encode() if isinstance(text, str) else text for text in (shown, hidden))
    assert list(told(key, one))
    assert not list(told(key, two))
    for packed in (gzip.compress(one), gzip.compress(gzip.compress(one)), gzip.compress(packs.packed([("x", one)]))):
        assert list(told(key, packed))


PACKINGS: Mapping[str, Callable[[bytes], bytes]] = {
    "plain": bytes,
    "gzip": partial(gzip.compress, mtime=0),
    "gzip cut off": lambda body: gzip.compress(body + bytes(range(256)) * 9, mtime=0)[:-200],
    "gzip twice": lambda body: gzip.compress(gzip.compress(body)),
    "a zip": lambda body: packs.packed([("x.json", body)]),
    "a zip within gzip": lambda body: gzip.compress(packs.packed([("x.json", body)])),
    "letters of two bytes": lambda body: body.decode("utf-8", "replace").encode("utf-16"),
}


@check_cases("packing", PACKINGS)
@check_cases("key", PRIVATE)
def test_no_packing_brings_what_is_private_into_the_archive(key: str, packing: str) -> None:
    redact = next(one.redact for country in DECLARED for one in country.datasets if one.key == key)
    assert redact is not None
    of_this_rule = [shown for other, shown, _ in RULES if PRIVATE[other] is PRIVATE[key]] or [BORN]
    for shown in of_this_rule:
        body = shown if isinstance(shown, bytes) else shown.encode()
        with redact(io.BytesIO(PACKINGS[packing](body))) as stream:
            kept = stream.read()
        assert not list(told(key, kept))
        assert not list(told(key, kept.replace(b"\x00", b"")))


def test_every_rule_is_shown_something() -> None:
    assert {PRIVATE[key] for key, _, _ in RULES} >= set(PRIVATE.values()) - {
        PRIVATE[key]
        for key in ("no.roller", "uk.profiles")  # the same function as uk.psc, of other names
    }
