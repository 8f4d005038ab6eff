"""Headlines: what was done, and to whom."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.regulators import act_types as k
from connectors.regulators.headline_grammar import (
    ENGLISH,
    NORWEGIAN,
    SWEDISH,
    HeadlineFrame,
    HeadlineLanguage,
    find_respondent,
    parse_headline,
)
from tests.tables import check_cases

ENGLISH_TABLE = [
    ("FCA fines Barclays Bank Plc £26,056,400 for failures", k.SANCTION_FINE, "Barclays Bank Plc"),
    ("The FCA and PRA fine Example Global Markets Limited over £61 million", k.SANCTION_FINE,
     "Example Global Markets Limited"),
    ("FCA fines Example Asset Management Limited", k.SANCTION_FINE, "Example Asset Management Limited"),
    ("Barclays Bank Plc fined £42 million for poor handling", k.SANCTION_FINE, "Barclays Bank Plc"),
    ("PRA fines Example Bank Plc £8.5m", k.SANCTION_FINE, "Example Bank Plc"),
    ("FCA bans Ann Example", k.PROHIBITION, "Ann Example"),
    ("FCA charges Acme Limited with insider dealing", k.LITIGATION, "Acme Limited"),
    ("Final Notice 2024: Example Capital Limited", k.OTHER, "Example Capital Limited"),
    ("Decision Notice: Example Capital Limited", k.ADMINISTRATIVE_PROCEEDING, "Example Capital Limited"),
    ("CFTC Orders Acme Trading LLC to Pay $1.5 Million for Spoofing", k.SANCTION_FINE, "Acme Trading LLC"),
    ("CFTC Charges Texas Man and His Company, Foo LLC, with Fraud", k.LITIGATION,
     "Texas Man and His Company, Foo LLC"),
    ("Federal Court Orders Florida Man and Acme Inc. to Pay $3 Million", k.SANCTION_FINE,
     "Florida Man and Acme Inc."),
    ("CFTC Imposes $2 Million Penalty Against Bar Bank plc", k.SANCTION_FINE, "Bar Bank plc"),
    ("CFTC Revokes Registrations of Acme Advisors LLC", k.LICENCE_WITHDRAWAL, "Acme Advisors LLC"),
    ("CFTC Files Complaint Against Digital Licensing LLC", k.LITIGATION, "Digital Licensing LLC"),
    ("JPMorgan Chase Bank, N.A. to Pay $200 Million", k.SANCTION_FINE, "JPMorgan Chase Bank, N.A."),
    ("FCA warns about clone of Example Ltd", k.CLONE_WARNING, None),
    ("Example Ltd (clone of FCA authorised firm)", k.CLONE_WARNING, None),
    ("Unauthorised firm: Foo Ltd", k.UNAUTHORISED_WARNING, None),
    ("FCA fines Acme Limited, owned by Other plc, £3m", k.SANCTION_FINE, "Acme Limited"),
    ("FCA publishes consultation on climate", None, None),
    ("FCA will not fine Example Plc", None, None),  # denied, lifted or only proposed
    ("FCA proposes to fine Example Plc £5m", None, None),
    ("Tribunal overturns ban and fine on Example Plc", None, None),
    ("Federal Court Dismisses CFTC Charges Against Example Plc", None, None),
    ("FCA lifts restrictions and orders on Example Plc", None, None),
    ("Upper Tribunal reduces fine on Example Plc", None, None),
    ("FCA withdraws Final Notice against Example Plc", None, None),
    ("FCA to withdraw fine on Example Plc", None, None),
    ("Judge rejects FCA penalty against Example Plc", None, None),
    ("FCA fines Example Plc £5m because it did not report", k.SANCTION_FINE, "Example Plc"),
    ("FCA fines Example Plc £5m for rejected claims", k.SANCTION_FINE, "Example Plc"),
    ("Judge throws out CFTC charges against Example Plc", None, None),
    ("Court vacates CFTC order against Example Plc", None, None),
    ("CFTC Stays Order Against Example Plc", None, None),
    ("CFTC Withdraws Complaint Against Example Plc", None, None),
    ("CFTC loses lawsuit against Example Plc", None, None),
    ("Fine against Example Plc overturned by Upper Tribunal", None, None),
    ("FCA fine on Example Plc reduced on appeal", None, None),
    ("FCA fines Example Plc £5m [Overturned]", None, None),
    ("FCA could fine Example Plc £5m", None, None),
    ("FCA urged to fine Example Plc", None, None),
    ("FCA fines Example Plc £5m for dismissing complaints", k.SANCTION_FINE, "Example Plc"),
    ("UPDATED: FCA fines Example Plc £5m", k.SANCTION_FINE, "Example Plc"),
    ("CFTC Settles Charges with Example Plc", k.LITIGATION, "Example Plc"),
    ("Speech: the future of markets", None, None),
]  # fmt: skip
SWEDISH_TABLE = [
    ("Anmärkning och straffavgift för Larsson & Partners", k.SANCTION_FINE, "Larsson & Partners"),
    ("Varning och sanktionsavgift till Exempelbanken AB", k.SANCTION_FINE, "Exempelbanken AB"),
    ("Varning för Exempelbanken AB", k.SANCTION_WARNING, "Exempelbanken AB"),
    ("Exempel Bank AB får anmärkning och sanktionsavgift på 500 miljoner kronor", k.SANCTION_FINE,
     "Exempel Bank AB"),
    ("Återkallat tillstånd för Foo AB", k.LICENCE_WITHDRAWAL, "Foo AB"),
    ("FI återkallar Foo AB:s tillstånd", k.LICENCE_WITHDRAWAL, "Foo AB"),
    ("Förbud för Foo AB", k.PROHIBITION, "Foo AB"),
    ("Sanktionsavgift: Foo AB", k.SANCTION_FINE, "Foo AB"),
    ("Sanktionsavgift till Foo AB på 1,2 miljoner kronor", k.SANCTION_FINE, "Foo AB"),
    ("Remark and administrative fine to Exempel Bank AB", k.SANCTION_FINE, "Exempel Bank AB"),
    ("Foo Group AB receives a remark and an administrative fine", k.SANCTION_FINE, "Foo Group AB"),
    ("FI varnar för Foo Ltd", k.UNAUTHORISED_WARNING, None),
    ("Varning för bedragare som utger sig för att vara Foo AB", k.CLONE_WARNING, None),
    ("Ny rapport om bolån", None, None),
    ("Ingen sanktionsavgift för Exempel AB", None, None),  # denied, lifted, reduced or appealed
    ("FI upphäver sanktionsavgift för Exempel AB", None, None),
    ("Kammarrätten undanröjer varning för Exempel AB", None, None),
    ("FI överklagar dom om sanktionsavgift för Exempel AB", None, None),
    ("Domstol sänker sanktionsavgift för Exempel AB", None, None),
    ("Sanktionsavgift halveras för Exempel AB", None, None),
    ("Exempel AB får rätt mot FI om sanktionsavgift", None, None),
    ("FI drar tillbaka föreläggande mot Exempel AB", None, None),
    ("FI avstår från sanktionsavgift mot Exempel AB", None, None),
    ("FI avslutar ärende om sanktionsavgift mot Exempel AB", None, None),
    ("FI återkallar varning för Exempel AB", None, None),
    ("FI överväger sanktionsavgift mot Exempel AB", None, None),
    ("FI:s förslag till sanktionsavgift för Exempel AB", None, None),
    ("FI återkallar tillståndet för Exempel AB på egen begäran", k.OTHER, "Exempel AB"),  # no sanction
    ("Kammarrätten fastställer sanktionsavgift för Exempel AB", k.SANCTION_FINE, "Exempel AB"),
    ("Sanktionsavgift för Exempel AB på grund av att inte ha rapporterat", k.SANCTION_FINE, "Exempel AB"),
]  # fmt: skip
NORWEGIAN_TABLE = [
    ("Overtredelsesgebyr til DNB Bank ASA", k.SANCTION_FINE, "DNB Bank ASA"),
    ("Tilsynsrapport og vedtak om overtredelsesgebyr - Askim & Spydeberg Sparebank", k.SANCTION_FINE,
     "Askim & Spydeberg Sparebank"),
    ("Tilbakekall av tillatelse – Foo AS", k.LICENCE_WITHDRAWAL, "Foo AS"),
    ("Foo Bank ASA ilagt overtredelsesgebyr", k.SANCTION_FINE, "Foo Bank ASA"),
    ("Vedtak om overtredelsesgebyr til Foo ASA for brudd på flaggeplikten", k.SANCTION_FINE, "Foo ASA"),
    ("Tilsynsrapport: Sparebanken Eksempel", k.INSPECTION_REPORT, "Sparebanken Eksempel"),
    ("Finanstilsynet ilegger Foo AS overtredelsesgebyr på kr 1 500 000", k.SANCTION_FINE, "Foo AS"),
    ("Pålegg om retting: Foo AS", k.ORDER, "Foo AS"),
    ("Finanstilsynet advarer mot Foo Ltd", k.UNAUTHORISED_WARNING, None),
    ("Finanstilsynet advarer mot falsk bruk av navnet Foo AS", k.CLONE_WARNING, None),
    ("Rundskriv om kapitalkrav", None, None),
    ("Finanstilsynet opphever overtredelsesgebyr til Eksempel ASA", None, None),
    ("Klagenemnda omgjør overtredelsesgebyr til Eksempel ASA", None, None),
    ("Ikke overtredelsesgebyr til Eksempel ASA", None, None),
    ("Varsel om overtredelsesgebyr til Eksempel ASA", None, None),
    ("Forhåndsvarsel om pålegg til Eksempel ASA", None, None),
    ("Finanstilsynet varsler overtredelsesgebyr til Eksempel ASA", None, None),
    ("Varslet overtredelsesgebyr til Eksempel ASA", None, None),
    ("Tilsynsrapport uten overtredelsesgebyr til Eksempel ASA", None, None),
    ("Forslag til vedtak mot Eksempel ASA", None, None),
    ("Klagenemnda reduserer overtredelsesgebyret til Eksempel ASA", None, None),
    ("Finanstilsynet vurderer overtredelsesgebyr til Eksempel ASA", None, None),
    ("Finanstilsynet trekker pålegg til Eksempel ASA", None, None),
    ("Eksempel ASA får medhold i klage på overtredelsesgebyr", None, None),
    ("Tilbakekall av tillatelse til Eksempel ASA etter eget ønske", k.OTHER, "Eksempel ASA"),
]  # fmt: skip
TABLE = [
    *((ENGLISH, *row) for row in ENGLISH_TABLE),
    *((SWEDISH, *row) for row in SWEDISH_TABLE),
    *((NORWEGIAN, *row) for row in NORWEGIAN_TABLE),
]


@check_cases(("language", "headline", "kind", "party"), TABLE, ids=[row[1] for row in TABLE])
def test_headlines(language: HeadlineLanguage, headline: str, kind: str | None, party: str | None) -> None:
    found = parse_headline(headline, language)
    assert (found.kind, (found.party or "").strip(".") or None) == (kind, (party or "").strip(".") or None)


def test_every_kind_has_an_action_type_of_the_contract() -> None:
    spoken = {kind for language in (ENGLISH, SWEDISH, NORWEGIAN) for kind, _ in language.kinds}
    assert spoken <= set(k.ACTION_TYPES)
    assert set(k.ACTION_TYPES.values()) == {"enforcement", "sanction", "announcement", "other"}
    assert set(k.NEVER_MATCHED) <= set(k.ACTION_TYPES)


@check_cases(
    ("language", "headline"),
    [
        (ENGLISH, "FCA fines Acme Bank plc's former chief executive £640,000"),
        (ENGLISH, "FCA bans director of Acme Holdings Ltd"),
        (ENGLISH, "FCA fines auditor of London Example & Finance plc"),
        (ENGLISH, "FCA fines subsidiary of Acme Holdings plc £57m"),
        (ENGLISH, "FCA publishes decision notice against Ann Example, CEO of Acme plc"),
        (ENGLISH, "CFTC Charges Employees of Acme Corp. with Fraud"),
        (SWEDISH, "Sanktionsavgift för person i ledande ställning i Exempel AB"),
        (SWEDISH, "Sanktionsavgift till ägare av Exempel AB på 500 000 kronor"),
        (SWEDISH, "Straffavgift för handel med aktier i Exempel AB"),
        (NORWEGIAN, "Kritikk av revisor for Eksempel AS"),
        (NORWEGIAN, "Overtredelsesgebyr til styreleder i Eksempel ASA"),
        (NORWEGIAN, "Overtredelsesgebyr ved handel i Eksempel ASA"),
    ],
)
def test_somebody_of_a_company_is_not_the_company(language: HeadlineLanguage, headline: str) -> None:
    found = parse_headline(headline, language)
    assert found.is_about_party
    assert found.party is None


@pytest.mark.parametrize(
    ("language", "headline", "party"),
    [
        (ENGLISH, "FCA fines Example Brokers Limited £1m", "Example Brokers Limited"),
        (ENGLISH, "FCA fines Bank of Example plc for failings of its directors", "Bank of Example plc"),
        (SWEDISH, "Anmärkning för Larsson & Partners", "Larsson & Partners"),
        (NORWEGIAN, "Overtredelsesgebyr til Eksempel Revisor AS", "Eksempel Revisor AS"),
    ],
)
def test_words_for_people_may_stand_in_a_name_or_behind_it(
    language: HeadlineLanguage, headline: str, party: str
) -> None:
    assert parse_headline(headline, language).party == party


@given(st.text(max_size=700), st.sampled_from([ENGLISH, SWEDISH, NORWEGIAN]))
def test_any_text_is_read(text: str, language: HeadlineLanguage) -> None:
    found = parse_headline(text, language)
    assert found.kind is None or found.kind in k.ACTION_TYPES


@check_cases("language", [ENGLISH, SWEDISH, NORWEGIAN])
@check_cases("word", ["against ", "fines ", "Sanktionsavgift för ", "Overtredelsesgebyr til ", "a ", "- "])
def test_a_hostile_headline_takes_no_time(word: str, language: HeadlineLanguage) -> None:
    parse_headline("FCA " + word * 3_000, language)


@check_cases(
    ("frames", "word"),
    [
        (ENGLISH.frames, "against "),
        (ENGLISH.frames, "Warning on for "),
        (SWEDISH.frames, "Vite till för "),
        (SWEDISH.frames, "Sanktionsavgift: "),
        (NORWEGIAN.frames, "vedtak mot til "),
        (NORWEGIAN.frames, "Kritikk - "),
    ],
)
def test_frames_take_a_time_that_grows_with_the_headline_alone(frames: tuple[HeadlineFrame, ...], word: str) -> None:
    def seconds(times: int) -> float:
        begun = time.process_time()
        find_respondent(word * times + "x" * 300, frames)
        return time.process_time() - begun

    assert seconds(20_000) < 1.0  # two hundred thousand characters; in square it would be hours
