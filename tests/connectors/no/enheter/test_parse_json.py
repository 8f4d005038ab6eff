"""JSON of no.enheter, what is recognised as what, and damage."""

import gzip
import json
from datetime import date
from typing import Any

import pytest

from connectors.contract.dataset import NotApplicable, RecognisedFile, Scope, UnreadableFileError
from connectors.no.enheter import parse_json
from tests.connectors.no.entity_files import DATASET, DNB, ELEMENT, EQUINOR, ROW, csv_of, json_of, piece, read, sheet


class TestJson:
    def test_a_single_answer_gives_the_same_row_as_the_csv(self) -> None:
        ours, theirs = json_of().one, csv_of().one
        assert set(ours) == set(theirs)
        for name in ("organisasjonsnummer", "navn", "organisasjonsform.kode", "antallAnsatte", "konkurs"):
            assert ours[name] == theirs[name]
        assert ours["naeringskodeverk"] == "SN2025"

    @pytest.mark.parametrize(
        ("name", "stray", "column"),
        [
            ("hjemmeside", 7, "hjemmeside"),
            ("forretningsadresse", [], "forretningsadresse.kommune"),
            ("forretningsadresse", "Gate 1", "forretningsadresse.adresse"),
            ("postadresse", 0, "postadresse.kommune"),
            ("naeringskode1", "62.100", "naeringskode1.kode"),
            ("kapital", False, "kapital.antallAksjer"),
            ("antallAnsatte", True, "antallAnsatte"),
            ("antallAnsatte", [5], "antallAnsatte"),
            ("harRegistrertAntallAnsatte", "true", "harRegistrertAntallAnsatte"),
            ("erIKonsern", {}, "erIKonsern"),
            ("sisteInnsendteAarsregnskap", {"aar": 2024}, "sisteInnsendteAarsregnskap"),
        ],
    )
    def test_an_optional_member_of_another_type_is_null_and_told_and_the_record_stays(
        self, name: str, stray: object, column: str
    ) -> None:
        found = json_of(**{name: stray})
        assert found.one[column] is None
        assert found.one["navn"] == "EKSEMPEL ASA"
        assert (found.signals, found.rejects) == ({("unreadable_value", name): 1}, [])
        assert found.examples == {EQUINOR}

    @pytest.mark.parametrize("name", ["konkurs", "underAvvikling", "konkursdato"])
    def test_a_member_that_decides_the_status_refuses_the_record(self, name: str) -> None:
        found = json_of(**{name: 7})
        assert (found.rows, len(found.rejects)) == ([], 1)

    @pytest.mark.parametrize("packed", [False, True])
    @pytest.mark.parametrize("body", [ELEMENT, [ELEMENT], {"_embedded": {"enheter": [ELEMENT]}, "_links": {}}])
    def test_the_mark_of_utf_8_before_json_is_none_of_it(self, body: object, packed: bool) -> None:
        text = b"\xef\xbb\xbf" + json.dumps(body).encode()
        text = gzip.compress(text) if packed else text
        assert isinstance(DATASET.recognise_file("enheter/x.json", text), RecognisedFile)
        assert read(text, "enhet.json").one == json_of().one

    def test_null_and_blank_address_lines_say_nothing(self) -> None:
        assert json_of().one["forretningsadresse.adresse"] == "Gate 1"

    @pytest.mark.parametrize("lines", [[], [None], [""], [" "], ["", " ", None], None])
    def test_an_address_without_a_line_is_null(self, lines: list[str | None] | None) -> None:
        address = ELEMENT["forretningsadresse"] | {"adresse": lines}
        assert json_of(forretningsadresse=address).one["forretningsadresse.adresse"] is None

    def test_empty_date_text_is_null_without_a_signal(self) -> None:
        found = json_of(konkursdato="")
        assert found.one["konkursdato"] is None
        assert found.signals == {}

    def test_a_missing_count_is_not_zero(self) -> None:
        """Pitfall 6."""
        row = json_of(antallAnsatte=...).one
        assert row["antallAnsatte"] is None
        assert row["harRegistrertAntallAnsatte"] is True

    def test_a_count_of_nought_stays_whatever_stands_beside_it(self) -> None:
        alone, few = {"antallAnsatte": 0}, {"antallAnsatte": 5, "organisasjonsnummer": DNB}
        assert json_of(**alone).one["antallAnsatte"] == 0
        both = read(json.dumps([ELEMENT | alone, ELEMENT | few]).encode(), "x.json")
        assert [row["antallAnsatte"] for row in both.rows] == [0, 5]

    def test_a_foreign_address_has_no_municipality(self) -> None:
        """Pitfall 7."""
        row = json_of(
            forretningsadresse={
                "land": "Tyskland",
                "landkode": "DE",
                "poststed": "DE-92711 Parkstein",
                "adresse": ["N 17"],
            }
        ).one
        assert row["forretningsadresse.kommunenummer"] is None
        assert row["forretningsadresse.landkode"] == "DE"

    def test_former_names_stand_apart_newest_first(self) -> None:
        """The bulk CSV has none: it must not wipe them."""
        names = [
            {"navn": "ELDST AS", "fraDato": "2002-09-12 16:22:48", "tilDato": "2004-01-19 09:15:52"},
            {"navn": "NYEST AS", "fraDato": "2004-01-19 09:15:52", "tilDato": "2011-11-11 08:45:34"},
        ]
        found = json_of(historiskeNavn=names)
        assert found.tables["no_navn"] == [{"organisasjonsnummer": EQUINOR, "historiskeNavn": ["NYEST AS", "ELDST AS"]}]

    def test_a_deleted_entity_goes_to_its_own_table(self) -> None:
        body = {
            "organisasjonsnummer": EQUINOR,
            "navn": "BORTE AS",
            "organisasjonsform": {"kode": "AS", "beskrivelse": "Aksjeselskap"},
            "slettedato": "2026-09-15",
            "respons_klasse": "SlettetEnhet",
        }
        found = read(json.dumps(body).encode(), "x.json")
        assert found.rows == []
        (row,) = found.tables["no_slettet"]
        assert (row["slettedato"], row["respons_klasse"]) == (date(2026, 9, 15), "SlettetEnhet")

    def test_the_class_is_the_present_word_and_a_deletion_date_beside_it_is_told(self) -> None:
        found = json_of(slettedato="2014-01-28")
        assert (len(found.rows), "no_slettet" in found.tables) == (1, False)
        assert found.signals == {("contradicting_status", "slettedato"): 1}

    def test_a_record_of_an_unknown_class_is_a_reject_and_no_living_company(self) -> None:
        found = json_of(respons_klasse="FjernetEnhet")
        assert found.rows == []
        assert [reason.split(":")[0] for _, reason in found.rejects] == ["respons_klasse 'FjernetEnhet' is unknown"]

    def test_the_present_name_is_no_former_one(self) -> None:
        names = [
            {"navn": "GAMMEL AS", "fraDato": "2002-09-12 16:22:48", "tilDato": "2004-01-19 09:15:52"},
            {"navn": "EKSEMPEL ASA", "fraDato": "2004-01-19 09:15:52"},
        ]
        assert json_of(historiskeNavn=names).tables["no_navn"][0]["historiskeNavn"] == ["GAMMEL AS"]

    def test_a_former_name_is_listed_once_and_the_present_one_never(self) -> None:
        """A company may take a name back."""
        borne = ["EKSEMPEL ASA", "A AS", "B AS", "A AS", "EKSEMPEL ASA"]
        names = [
            {"navn": name, "fraDato": f"200{year}-01-01 00:00:00", "tilDato": f"200{year + 1}-01-01 00:00:00"}
            for year, name in enumerate(borne)
        ]
        assert json_of(historiskeNavn=names).tables["no_navn"][0]["historiskeNavn"] == ["A AS", "B AS"]

    def test_a_deletion_date_alone_says_deleted(self) -> None:
        body = {
            "organisasjonsnummer": EQUINOR,
            "navn": "BORTE AS",
            "organisasjonsform": {"kode": "UTBG", "utgaatt": "2017-07-17"},
            "slettedato": "2017-10-20",
        }
        assert read(json.dumps(body).encode(), "x.json").tables["no_slettet"][0]["respons_klasse"] == "SlettetEnhet"

    @pytest.mark.parametrize("ahead", ["2062-10-20", "9999-12-31"])
    def test_deletion_date_alone_that_is_to_come_deletes_nothing_yet(self, ahead: str) -> None:
        found = json_of(respons_klasse=None, slettedato=ahead)
        assert (len(found.rows), "no_slettet" in found.tables) == (1, False)
        assert found.signals == {("contradicting_status", "slettedato"): 1}

    @pytest.mark.parametrize(
        "change",
        [{"respons_klasse": "Underenhet"}, {"respons_klasse": "SlettetUnderEnhet"}, {"beliggenhetsadresse": {}}],
    )
    def test_a_sub_unit_is_a_reject(self, change: dict[str, Any]) -> None:
        found = json_of(**change)
        assert found.rows == []
        assert "sub-unit" in found.rejects[0][1]

    def test_an_unknown_key_is_counted_and_the_record_kept(self) -> None:
        found = json_of(nyttFelt=1)
        assert found.one["navn"] == "EKSEMPEL ASA"
        assert [key for key in found.signals if key[0] == "unknown_key"] == [("unknown_key", "nyttFelt")]
        assert found.one == json_of().one

    def test_a_record_of_another_shape_is_a_reject(self) -> None:
        body = [ELEMENT, ELEMENT | {"organisasjonsnummer": DNB, "konkurs": "kanskje"}]
        found = read(json.dumps(body).encode(), "alle.json")
        assert found.one["organisasjonsnummer"] == EQUINOR
        assert len(found.rejects) == 1

    def test_the_bulk_array_with_links(self) -> None:
        """Bulk elements carry `links` in place of `_links`."""
        element = {key: value for key, value in ELEMENT.items() if key != "_links"} | {"links": []}
        body = json.dumps([element, element | {"organisasjonsnummer": DNB}, {}], indent=2).encode()
        found = read(gzip.compress(body), "alle.json.gz")
        assert [row["organisasjonsnummer"] for row in found.rows] == [EQUINOR, DNB]
        assert found.rejects[0][1] == "no organisation number"

    def test_a_search_page_holds_whole_entities(self) -> None:
        page = {
            "_embedded": {"enheter": [ELEMENT, ELEMENT | {"organisasjonsnummer": DNB}]},
            "_links": {},
            "page": {"size": 2},
        }
        assert len(read(json.dumps(page).encode(), "side.json").rows) == 2

    def test_a_search_page_without_embedded_holds_none(self) -> None:
        """Pitfall 2."""
        assert read(json.dumps({"_links": {}, "page": {"totalElements": 0}}).encode(), "side.json").rows == []

    def test_status_410_says_that_the_entity_is_gone(self) -> None:
        body = json.dumps(
            {"timestamp": "t", "status": 410, "error": "Gone", "path": f"/enhetsregisteret/api/enheter/{EQUINOR}"}
        ).encode()
        for text, name in ((body, "x.json"), (b"", f"enhet-{EQUINOR}-410.json")):
            assert isinstance(DATASET.recognise_file(name, text), RecognisedFile)
            (row,) = read(text, name).tables["no_slettet"]
            assert (row["organisasjonsnummer"], row["respons_klasse"], row["navn"]) == (EQUINOR, "Fjernet", None)


class TestRecognise:
    @pytest.mark.parametrize(
        "body",
        [
            sheet(ROW),
            gzip.compress(sheet(ROW)),
            json.dumps(ELEMENT).encode(),
            json.dumps([ELEMENT]).encode(),
            b"\xef\xbb\xbf" + json.dumps(ELEMENT).encode(),
            json.dumps({"_embedded": {"enheter": [ELEMENT]}, "_links": {}}).encode(),
            b"<html>Feil</html>",
        ],
    )
    def test_ours_is_a_part_whose_day_is_unknown(self, body: bytes) -> None:
        assert DATASET.recognise_file("enheter/x", body[:65536]) == RecognisedFile(None, Scope.PART)

    @pytest.mark.parametrize(
        ("body", "word"),
        [
            (b"", "empty"),
            (b"{}", "organisation number"),
            (b'{"_links": {}, "page": {"totalElements": 0}}', "without results"),
            (b'{"_embedded": {"underenheter": []}, "_links": {}}', "sub-units"),
            (b'{"timestamp": "t", "status": 500, "error": "Internal", "path": "/x"}', "500"),
            (b"PK\x03\x04", "workbook"),
            (b"organisasjonsnummer,navn,beliggenhetsadresse.adresse\n", "sub-units"),
        ],
    )
    def test_what_is_not_ours_says_why(self, body: bytes, word: str) -> None:
        found = DATASET.recognise_file("enheter/x", body)
        assert isinstance(found, NotApplicable)
        assert word in found.reason

    def test_a_head_cut_inside_an_object_is_still_recognised(self) -> None:
        body = json.dumps(ELEMENT | {"aktivitet": ["x" * 100_000]}).encode()
        assert isinstance(DATASET.recognise_file("x", body[:65536]), RecognisedFile)


class TestUnreadable:
    @pytest.mark.parametrize(
        "body",
        [
            b"<!DOCTYPE html><html><body>Vedlikehold</body></html>",
            json.dumps([ELEMENT, ELEMENT]).encode()[:-200],
            json.dumps(ELEMENT).encode()[:-20],
            gzip.compress(sheet(*[ROW] * 50))[:-30],
            b"\x00\x01\x02\x03" * 100,
            b"[" * 100_000,
            b'{"a":' * 100_000,
        ],
    )
    def test_damage_names_dataset_file_and_reason(self, body: bytes) -> None:
        with pytest.raises(UnreadableFileError) as told:
            read(body, "skadet.json")
        assert told.value.dataset == "no.enheter"
        assert told.value.name == "skadet.json"


class TestStretches:
    @pytest.mark.parametrize(("at_hand", "stretches"), [(2048, 1), (2048, 2), (5000, 3)])
    def test_however_the_array_is_cut_it_says_the_same(
        self, at_hand: int, stretches: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        body = json.dumps([_some(place) for place in range(60)]).encode()
        whole = read(body, "x.json")
        monkeypatch.setattr(parse_json, "STRETCH_BYTES", at_hand)
        monkeypatch.setattr(parse_json, "BATCH_STRETCHES", stretches)
        cut = read(body, "x.json")
        assert (cut.tables, cut.rejects, cut.signals) == (whole.tables, whole.rejects, whole.signals)
        assert {table: len(rows) for table, rows in whole.tables.items()} == {
            "no_enheter": 42,
            "no_slettet": 9,
            "no_navn": 8,
        }
        assert len(whole.rejects) == 9
        assert whole.signals == {("unreadable_value", "hjemmeside"): 9, ("unknown_key", "nytt"): 8}

    def test_damage_far_behind_names_the_file_and_what_came_before_it_is_read(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(parse_json, "STRETCH_BYTES", 2048)
        monkeypatch.setattr(parse_json, "BATCH_STRETCHES", 2)
        body = json.dumps([_some(place) for place in range(60)]).encode()
        batches = DATASET.read_batches(piece(body[:-300], "cut.json"))
        assert next(batches).rows.height > 0
        with pytest.raises(UnreadableFileError, match=r"cut\.json"):
            list(batches)


def _some(place: int) -> dict[str, Any]:
    """Elements of every kind, each kind more than once."""
    changes: list[dict[str, Any]] = [
        {},
        {"hjemmeside": 7},
        {"respons_klasse": "Underenhet"},
        {"slettedato": "2026-09-15", "respons_klasse": "SlettetEnhet"},
        {"historiskeNavn": [{"navn": "FORRIGE AS", "tilDato": "2011-11-11 08:45:34"}]},
        {"antallAnsatte": 0},
        {"forretningsadresse": None, "nytt": 1},
    ]
    return ELEMENT | {"organisasjonsnummer": _NUMBERS[place]} | changes[place % len(changes)]


_WEIGHTS = (3, 2, 7, 6, 5, 4, 3, 2)
_SUMS = {str(first): sum(map(int.__mul__, map(int, str(first)), _WEIGHTS)) for first in range(90000000, 90000080)}
_NUMBERS = [f"{first}{-weighed % 11}" for first, weighed in _SUMS.items() if -weighed % 11 < 10]
