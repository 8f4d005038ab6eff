"""se.bolagsverket: the bulk's spelling, broken records, and what is refused."""

from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from connectors.contract.dataset import NotApplicable, RecognisedFile, UnreadableFileError
from connectors.se import code_lists
from connectors.se.bulk import parse
from tests.connectors.se.bulk_files import (
    BULK,
    COLUMNS,
    ONE,
    THREE,
    TWO,
    archived,
    batches,
    bulk,
    organisation,
    profiles,
    rejects,
    rows,
    signals,
    sole_trader,
    unit,
    zipped,
)

FOUR = "5560000004"
PROCEEDINGS = "pagandeAvvecklingsEllerOmstruktureringsforfarande"
STRAY = 'Ensillre Väglyseförening "Ljuspunkten" med firma Ljuspunkten.$FORETAGSNAMN-ORGNAM$1985-10-01'
_text = st.text(st.sampled_from('ab "\n\r;,é\t\0x'), max_size=12).filter(
    lambda text: '";"' not in f'"{text}"'.replace("\0", "")  # which is dropped before anything else
)


def test_pitfall_1_quotes_inside_values_are_not_doubled() -> None:
    found = rows(batches(BULK, bulk(organisation(ONE, organisationsnamn=STRAY), organisation(TWO))))
    assert found["organisationsnamn"].to_list()[0] == STRAY
    assert found.height == 2


def test_pitfall_1_line_breaks_inside_values_are_joined() -> None:
    broken = organisation(
        ONE, verksamhetsbeskrivning="rad 1\nrad 2\n\nrad 3", postadress="Box 1$$GÖTE\nBORG$41111$SE-LAND"
    )
    found = batches(BULK, bulk(broken, organisation(TWO)))
    assert rows(found)["organisationsnummer"].sort().to_list() == [ONE, TWO]
    assert not rejects(found)


def test_pitfall_1_semicolons_and_lone_carriage_returns_are_text() -> None:
    odd = organisation(ONE, organisationsnamn="A; B\rC; AB$FORETAGSNAMN-ORGNAM$2001-05-10")
    found = rows(batches(BULK, bulk(odd, organisation(TWO))))
    assert found["organisationsnamn"].to_list()[0] == "A; B C; AB$FORETAGSNAMN-ORGNAM$2001-05-10"
    assert found.height == 2


@pytest.mark.parametrize("cut", ['";"Storgatan 1$$STOCKHOLM$11122$SE-LAND"', '"Storgatan 1$$STOCKHOLM$11122$SE-LAND"'])
def test_pitfall_1_a_record_without_its_last_column_costs_itself_alone(cut: str) -> None:
    broken = bulk(organisation(ONE), organisation(TWO), organisation(THREE)).decode().replace(cut, "", 1)
    found = batches(BULK, broken.encode())
    assert rows(found)["organisationsnummer"].to_list() == [TWO, THREE]
    assert [record for record, _, _ in rejects(found)] == ["line 2"]


def test_pitfall_1_as_many_quotes_as_due_make_no_record_of_other_cuts() -> None:
    """A bare null and a stray pair: the quotes are as many as in a whole record, and stand elsewhere."""
    line = bulk(organisation(ONE, organisationsnamn='A "B" C$FORETAGSNAMN-ORGNAM$2001-05-10'))
    found = rows(batches(BULK, line.replace(b';"";"SE-LAND"', b';null;"SE-LAND"')))
    assert found["organisationsnamn"].to_list() == ['A "B" C$FORETAGSNAMN-ORGNAM$2001-05-10']
    assert found["registreringsland"].to_list() == ["SE"]


def test_pitfall_2_rejects_say_nothing_of_who_may_be_a_person() -> None:
    found = batches(BULK, bulk(sole_trader(), organisation(ONE)))
    assert [(record, excerpt) for record, _, excerpt in rejects(found)] == [("(withheld)", "")]


def test_pitfall_1_nul_bytes_are_dropped_and_counted() -> None:
    found = batches(BULK, bulk(organisation(ONE, verksamhetsbeskrivning="a\0b"), organisation(TWO)))
    assert rows(found).height == 2
    assert signals(found)["nul_bytes", "file"] == 1


@settings(max_examples=50)
@given(st.lists(_text, min_size=1, max_size=4))
def test_pitfall_1_any_stray_text_costs_no_record(texts: list[str]) -> None:
    """Whatever stands in the free text, every record is read or refused with its line, none is merged."""
    numbers = [str(5560000000 + place) for place in range(len(texts))]
    made = [organisation(number, verksamhetsbeskrivning=text) for number, text in zip(numbers, texts, strict=True)]
    found = batches(BULK, bulk(*made))
    read = rows(found)
    assert read["organisationsnummer"].sort().to_list() == numbers
    assert set(read["registreringsdatum"].dt.year().to_list()) == {2001}


_hostile = st.text(st.sampled_from('ab "\n;,é\x1e\0$|'), max_size=8)


@pytest.mark.slow
@settings(max_examples=60)
@given(st.lists(st.tuples(_hostile, _hostile), min_size=1, max_size=5), st.integers(0, 400), st.binary(max_size=2))
def test_pitfall_1_records_known_at_a_glance_are_those_that_a_look_at_each_line_finds(
    texts: list[tuple[str, str]], at: int, put: bytes
) -> None:
    made = [
        organisation(str(5560000000 + place), verksamhetsbeskrivning=activity, postadress=address)
        for place, (activity, address) in enumerate(texts)
    ]
    header, body = bulk(*made).split(b"\n", 1)
    body = header + b"\n" + body[:at] + put + body[at + len(put) // 2 :]

    def told() -> list[object]:
        found = batches(BULK, body)
        return [rows(found).rows(), rejects(found), [batch.signals for batch in found]]

    quick = told()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parse, "_read_fast", lambda *_: None)
        assert told() == quick


def test_pitfall_1_a_few_torn_records_leave_the_others_to_the_quick_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(parse, "_read_line_by_line")
    torn = organisation(ONE, verksamhetsbeskrivning="rad 1\n\nrad 2\0")
    stray = organisation(TWO, organisationsnamn=STRAY)
    found = batches(BULK, bulk(organisation(FOUR), torn, stray, organisation(THREE)))
    assert rows(found)["organisationsnummer"].to_list() == [FOUR, ONE, TWO, THREE]
    assert signals(found)["nul_bytes", "file"] == 1
    assert not rejects(found)


@pytest.mark.parametrize("word", ["", "null", "NULL", "Null"])
def test_pitfall_3_missing_is_empty_or_the_word_null(word: str) -> None:
    missing = dict.fromkeys(COLUMNS[5:8], word)
    found = rows(batches(BULK, bulk(organisation(ONE, **missing)))).to_dicts()[0]
    assert [found[name] for name in COLUMNS[5:8]] == [None, None, None]


def test_pitfall_3_bare_null_and_unquoted_records_are_read() -> None:
    bare = bulk(organisation(ONE)).replace(b';"";"";"";', b";null;null;NULL;")
    plain = bulk(organisation(TWO)).replace(b'"', b"").split(b"\n", 1)[1]
    assert rows(batches(BULK, bare + plain))["organisationsnummer"].sort().to_list() == [ONE, TWO]


def test_pitfall_3_code_suffixes_are_taken_off() -> None:
    over = organisation(ONE, avregistreringsdatum="2020-01-02", avregistreringsorsak="VERKUPP-AVORG")
    found = rows(batches(BULK, bulk(over))).to_dicts()[0]
    assert (found["organisationsform"], found["avregistreringsorsak"], found["registreringsland"]) == (
        "AB",
        "VERKUPP",
        "SE",
    )


def test_pitfall_3_both_spellings_of_the_proceedings_column() -> None:
    header = ";".join(COLUMNS).replace("pagande", "pagaende")
    said = organisation(ONE, pagandeAvvecklingsEllerOmstruktureringsforfarande="|KK-AVOMFO$2024-01-26")
    found = rows(batches(BULK, bulk(said, header=header))).to_dicts()[0]
    assert found["pagandeAvvecklingsEllerOmstruktureringsforfarande"] == "|KK-AVOMFO$2024-01-26"


def test_a_byte_order_mark_and_windows_lines_are_tolerated() -> None:
    body = b"\xef\xbb\xbf" + bulk(organisation(ONE), organisation(TWO)).replace(b"\n", b"\r\n")
    assert rows(batches(BULK, body)).height == 2


def test_columns_are_found_by_name_not_place() -> None:
    order = (*COLUMNS[5:], *COLUMNS[:5])
    line = '"' + '";"'.join(organisation(ONE)[name] for name in order) + '"\n'
    found = rows(batches(BULK, (";".join(order) + "\n" + line).encode()))
    assert found["organisationsnummer"].to_list() == [ONE]


def test_several_rows_of_one_number_all_stay() -> None:
    found = rows(batches(BULK, bulk(organisation(ONE), organisation(ONE), organisation(ONE, namnskyddslopnummer="2"))))
    assert found.select("namnskyddslopnummer", "rad").rows() == [("", 1), ("", 2), ("2", 1)]


def test_records_are_whole_across_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parse, "BLOCK", 300)
    many = [organisation(str(5560000000 + n), verksamhetsbeskrivning="a\nb") for n in range(50)]
    found = batches(BULK, bulk(*many))
    assert rows(found)["organisationsnummer"].n_unique() == 50
    assert not rejects(found)


def test_lines_are_numbered_through_all_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parse, "BLOCK", 300)
    many = [organisation(str(5560000100 + n), verksamhetsbeskrivning="a\nb") for n in range(20)]
    torn, whole = (bulk(organisation(number)).split(b"\n", 1)[1] for number in (ONE, TWO))
    found = batches(BULK, bulk(*many) + torn[:60] + b"\n" + whole)
    assert [record for record, _, _ in rejects(found)] == ["line 42"]


def test_a_torn_record_costs_itself_alone() -> None:
    body = bulk(organisation(ONE), organisation(TWO), organisation(THREE))
    cut = body.index(TWO.encode())
    torn = body[: cut + 60] + body[body.index(b'\n"', cut) :]
    found = batches(BULK, torn)
    assert rows(found)["organisationsnummer"].to_list() == [ONE, THREE]
    assert [record for record, _, _ in rejects(found)] == ["line 3"]


def test_reason_of_deregistration_without_a_day_is_told() -> None:
    rows_of = [
        organisation(ONE, avregistreringsorsak="KKAV-AVORG"),
        organisation(TWO, avregistreringsorsak="KKAV-AVORG", avregistreringsdatum="2020-01-02"),
    ]
    assert signals(batches(BULK, bulk(*rows_of))) == {("no_day", "avregistreringsdatum"): 1}


def test_unknown_codes_are_signals_and_the_row_stays() -> None:
    strange = organisation(
        ONE,
        organisationsform="XYZ-ORGFO",
        avregistreringsorsak="NYTT-AVORG",
        avregistreringsdatum="2020-13-40",
        pagandeAvvecklingsEllerOmstruktureringsforfarande="KK-AVOMFO$null|ABC-AVOMFO$2020-01-01",
    )
    found = batches(BULK, bulk(strange))
    assert signals(found) == {
        ("unknown_legal_form", "XYZ"): 1,
        ("unknown_reason", "NYTT"): 1,
        ("unknown_proceeding", "ABC"): 1,
        ("unreadable_value", "avregistreringsdatum"): 1,
    }
    assert rows(found)["avregistreringsdatum"].to_list() == [None]


@pytest.mark.parametrize(
    ("written", "name", "is_told"),
    [
        ("Exempel AB$FORETAGSNAMN-ORGNAM$Null", "Exempel AB", False),
        ("Exempel AB$FORETAGSNAMN-ORGNAM$20010510", "Exempel AB", True),
        ("Exempel AB$FORETAGSNAMN-ORGNAM$2001-05-10T00:00:00", "Exempel AB", True),
        ("Exempel AB$FORETAGSNAMN-ORGNAM", "Exempel AB", True),
        ("A$AP AB$NYTT2-ORGNAM$2001-05-10", "A$AP AB", True),  # a kind that nobody has seen
        ("null$FORETAGSNAMN-ORGNAM$2001-05-10", "EXEMPEL AB", True),  # SCB's
        ("$FORETAGSNAMN-ORGNAM$2001-05-10", "EXEMPEL AB", True),
        ("NULL$FORETAGSNAMN-ORGNAM$2001-05-10|Exempel$NAMN-ORGNAM$1999-01-01", "Exempel", False),
    ],
)
def test_a_name_with_another_kind_or_day_is_kept_and_one_without_letters_is_none(
    written: str, name: str, is_told: bool
) -> None:
    """Such companies vanished, without a reject or a signal."""
    given_row = organisation(organisationsnamn=written)
    assert profiles([given_row], [unit()])[ONE]["name"] == name
    assert (("unreadable_value", "organisationsnamn") in signals(batches(BULK, bulk(given_row)))) == is_told


@pytest.mark.parametrize(
    ("column", "written", "day"),
    [
        ("avregistreringsdatum", "2023-05-05T00:00:00.000+00:00", date(2023, 5, 5)),
        ("avregistreringsdatum", "20230505", date(2023, 5, 5)),
        ("avregistreringsdatum", "0001-01-01", None),
        ("registreringsdatum", "0001-01-01", None),
        ("registreringsdatum", "9999-12-31", None),
        ("registreringsdatum", "2001-02-30", None),
        ("registreringsdatum", "05/10/2001", None),
    ],
)
def test_days_that_nothing_was_registered_on_are_none_and_told(column: str, written: str, day: date | None) -> None:
    found = batches(BULK, bulk(organisation(**{column: written}), organisation(TWO)))
    assert rows(found)[column].to_list() == [day, date(2001, 5, 10) if column == "registreringsdatum" else None]
    assert signals(found) == ({("unreadable_value", column): 1} if day is None else {})


@pytest.mark.parametrize(
    ("written", "signal"),
    [
        ("kk-AVOMFO$2023-02-01", ("unknown_proceeding", "kk")),
        ("|LI-AVOMFO$2023-02-01|K2-AVOMFO$null", ("unknown_proceeding", "K2")),
        ("KK-AVOMFO$2023-02-30", ("unreadable_value", PROCEEDINGS)),
    ],
)
def test_proceedings_are_told_as_they_are_written(written: str, signal: tuple[str, str]) -> None:
    assert signals(batches(BULK, bulk(organisation(**{PROCEEDINGS: written})))) == {signal: 1}


def test_an_unknown_column_is_a_signal_a_missing_one_refuses_the_file() -> None:
    wider = bulk(organisation(ONE), header=";".join(COLUMNS) + ";nytt").replace(b'SE-LAND"\n', b'SE-LAND";"x"\n')
    found = batches(BULK, wider)
    assert signals(found) == {("unknown_column", "nytt"): 1}
    assert rows(found)["postadress"].to_list() == ["Storgatan 1$$STOCKHOLM$11122$SE-LAND"]
    with pytest.raises(UnreadableFileError, match="organisationsform is missing"):
        batches(BULK, bulk(organisation(ONE), header=";".join(COLUMNS).replace("organisationsform", "annat")))


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"organisationsidentitet": "5560000001$UTLAND-IDORG"}, "type"),
        ({"organisationsidentitet": "55600001$ORGNR-IDORG"}, "organisation number"),
        ({"organisationsnamn": ""}, "no name"),
    ],
)
def test_what_is_no_company_record_is_listed(changed: dict[str, str], reason: str) -> None:
    found = batches(BULK, bulk(organisation(ONE, **changed), organisation(TWO)))
    assert rows(found)["organisationsnummer"].to_list() == [TWO]
    assert reason in rejects(found)[0][1]


def test_a_wrong_check_digit_refuses_nothing() -> None:
    assert rows(batches(BULK, bulk(organisation("5569999999")))).height == 1


@pytest.mark.parametrize("body", [b"<html>robot?</html>", b"{}", b"\x00\x01\x02" * 400])
def test_other_bodies_are_unreadable(body: bytes) -> None:
    with pytest.raises(UnreadableFileError):
        batches(BULK, archived(BULK, body))


@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_a_cut_zip_is_unreadable(share: float) -> None:
    whole = zipped("bolagsverket_bulkfil.txt", bulk(*(organisation(str(5560000000 + n)) for n in range(2000))))
    with pytest.raises(UnreadableFileError):
        batches(BULK, archived(BULK, whole[: int(len(whole) * share)]))


def test_the_zip_is_ours_and_other_formats_are_not() -> None:
    whole = zipped("bolagsverket_bulkfil.txt", bulk(organisation()))
    assert isinstance(BULK.recognise_file("bolagsverket_bulk/x.zip", whole[:1000]), RecognisedFile)
    assert isinstance(BULK.recognise_file("bolagsverket_bulk/x.json", b"{}"), NotApplicable)
    assert rows(batches(BULK, whole)).height == 1


def _halves(number: str) -> tuple[bytes, bytes]:
    """A record's line torn inside its free text."""
    line = bulk(organisation(number, verksamhetsbeskrivning="fram\nbak")).split(b"\n", 1)[1]
    first, second = line.split(b"\n", 1)
    return first + b"\n", second


def test_a_record_without_its_end_does_not_swallow_the_next() -> None:
    lost, _ = _halves(ONE)
    found = batches(BULK, bulk() + lost + b"".join(_halves(TWO)) + bulk(organisation(THREE)).split(b"\n", 1)[1])
    assert rows(found)["organisationsnummer"].sort().to_list() == [TWO, THREE]
    assert [record for record, _, _ in rejects(found)] == ["line 2"]


def test_halves_with_a_whole_record_between_them_are_not_joined() -> None:
    first, second = _halves(ONE)
    whole = [bulk(organisation(number)).split(b"\n", 1)[1] for number in (TWO, THREE)]
    found = batches(BULK, bulk() + first + whole[0] + second + whole[1])
    assert rows(found)["organisationsnummer"].to_list() == [TWO, THREE]
    assert [record for record, _, _ in rejects(found)] == ["line 2", "line 4"]


def test_the_end_of_a_proceeding_is_a_known_code() -> None:
    ends = code_lists.PROCEEDING_ENDS
    assert (
        {ends.get(code, "of") for code in ends.codes} == {"KK", "LI", "FR", "AC"} <= set(code_lists.PROCEEDINGS.codes)
    )
    said = "|".join(f"{ends.get(code, 'of')}-AVOMFO$2020-01-01|{code}-AVSLAVOMFO$2024-01-01" for code in ends.codes)
    assert not signals(batches(BULK, bulk(organisation(ONE, **{PROCEEDINGS: said}))))
    other = batches(BULK, bulk(organisation(ONE, **{PROCEEDINGS: "NYTT-AVSLAVOMFO$2024-01-01"})))
    assert signals(other) == {("unknown_proceeding", "NYTT"): 1}
