"""The status table (docs/formats/no.md 13.2), deletion and return."""

from datetime import date
from typing import Any

import pytest

from connectors.no.enheter.schema import DELETED, ENTITIES, FORMER_NAMES
from tests.connectors.no.entity_rows import ENTITY, MONDAY, NUMBER, SHORT, TUESDAY, companies, company, present


class TestStatus:
    @pytest.mark.parametrize(
        ("changes", "status", "detail", "since", "word"),
        [
            ({}, "active", None, None, None),
            (
                {"konkurs": True, "konkursdato": date(2026, 8, 26)},
                "dormant",
                "bankruptcy",
                date(2026, 8, 26),
                "konkurs",
            ),
            (
                {
                    "underTvangsavviklingEllerTvangsopplosning": True,
                    "tvangsopplostPgaManglendeRegnskapDato": date(2026, 6, 4),
                },
                "dormant",
                "forced_dissolution",
                date(2026, 6, 4),
                "tvangsopplostPgaManglendeRegnskapDato",
            ),
            (
                {"underTvangsavviklingEllerTvangsopplosning": True},
                "dormant",
                "forced_dissolution",
                None,
                "underTvangsavviklingEllerTvangsopplosning",
            ),
            (
                {"underAvvikling": True, "underAvviklingDato": date(2026, 1, 2)},
                "dormant",
                "liquidation",
                date(2026, 1, 2),
                "underAvvikling",
            ),
            (
                {"underUtenlandskInsolvensbehandlingDato": date(2025, 5, 5)},
                "dormant",
                "foreign_insolvency",
                date(2025, 5, 5),
                "underUtenlandskInsolvensbehandling",
            ),
            (
                {"underRekonstruksjonsforhandlingDato": date(2025, 6, 6)},
                "active",
                "reorganisation",
                date(2025, 6, 6),
                "underRekonstruksjonsforhandling",
            ),
        ],
    )
    def test_the_decision_table(
        self, changes: dict[str, Any], status: str, detail: str | None, since: date | None, word: str | None
    ) -> None:
        found = company(**changes)
        assert (found["status"], found["status_detail"]) == (status, detail)
        assert (found["status_date"], found["registry_status"]) == (since, word)
        assert found["dissolved_date"] is None

    def test_the_first_match_wins(self) -> None:
        found = company(konkurs=True, underTvangsavviklingEllerTvangsopplosning=True, underAvvikling=True)
        assert found["status_detail"] == "bankruptcy"

    def test_the_earliest_reason_of_a_court_is_the_date(self) -> None:
        found = company(
            underTvangsavviklingEllerTvangsopplosning=True,
            tvangsopplostPgaManglendeRevisorDato=date(2026, 5, 1),
            tvangsopplostPgaMangelfulltStyreDato=date(2026, 4, 1),
        )
        assert (found["status_date"], found["registry_status"]) == (
            date(2026, 4, 1),
            "tvangsopplostPgaMangelfulltStyreDato",
        )

    @pytest.mark.parametrize("ahead", [date(2027, 3, 1), date(9999, 12, 31)])
    def test_state_that_a_day_alone_tells_begins_on_that_day(self, ahead: date) -> None:
        for name in ("underUtenlandskInsolvensbehandlingDato", "underRekonstruksjonsforhandlingDato"):
            found = company(**{name: ahead})
            assert (found["status"], found["status_detail"], found["status_date"]) == ("active", None, None)

    def test_flag_decides_whatever_its_day_and_a_day_to_come_is_null(self) -> None:
        found = company(konkurs=True, konkursdato=date(2027, 3, 1))
        assert (found["status"], found["status_detail"], found["status_date"]) == ("dormant", "bankruptcy", None)

    def test_a_day_to_come_counts_once_it_has_come_though_the_record_is_the_same(self) -> None:
        changes = {
            "konkurs": True,
            "konkursdato": date(2027, 3, 1),
            "underRekonstruksjonsforhandlingDato": date(2027, 2, 1),
        }
        record = present(ENTITIES, ENTITY | changes)
        on_a_day = (companies(date(2027, 2, day), no_enheter=record)[0]["status_date"] for day in (27, 28))
        assert list(on_a_day) == [None, date(2027, 3, 1)]  # in Oslo the day may have begun
        record = present(ENTITIES, ENTITY | changes | {"konkurs": False})
        on_a_day = (companies(date(2027, 1, day), no_enheter=record)[0]["status_detail"] for day in (30, 31))
        assert list(on_a_day) == [None, "reorganisation"]

    def test_day_of_deletion_after_the_answer_never_counts(self) -> None:
        record = present(DELETED, SHORT | {"slettedato": date(2027, 3, 1)}, TUESDAY)
        assert companies(date(2027, 4, 1), no_slettet=record)[0]["dissolved_date"] == date(2026, 11, 17)

    def test_a_date_without_its_flag_decides_nothing(self) -> None:
        assert company(konkursdato=date(2020, 1, 1))["status"] == "active"


class TestDeleted:
    def test_a_short_body_keeps_the_profile_and_sets_the_status(self) -> None:
        (found,) = companies(no_enheter=present(ENTITIES, ENTITY), no_slettet=present(DELETED, SHORT, TUESDAY))
        assert (found["status"], found["dissolved_date"], found["registry_status"]) == (
            "dissolved",
            date(2026, 9, 15),
            "SlettetEnhet",
        )
        assert (found["municipality"], found["industry_code"], found["website"]) == ("OSLO", "62010", "www.eksempel.no")
        assert found["observed_at"] == TUESDAY

    def test_day_of_deletion_to_come_gives_way_to_the_day_of_the_answer(self) -> None:
        (found,) = companies(no_slettet=present(DELETED, SHORT | {"slettedato": date(2027, 3, 1)}, TUESDAY))
        assert (found["status"], found["dissolved_date"]) == ("dissolved", date(2026, 11, 17))

    def test_a_short_body_alone_makes_a_company(self) -> None:
        (found,) = companies(no_slettet=present(DELETED, SHORT))
        assert (found["name"], found["status"], found["legal_form_code"]) == ("EKSEMPEL AS", "dissolved", "AS")
        assert found["employees"] is None

    def test_a_newer_profile_brings_the_company_back(self) -> None:
        (found,) = companies(no_enheter=present(ENTITIES, ENTITY, TUESDAY), no_slettet=present(DELETED, SHORT, MONDAY))
        assert (found["status"], found["dissolved_date"]) == ("active", None)

    def test_on_a_tie_the_short_body_wins(self) -> None:
        (found,) = companies(no_enheter=present(ENTITIES, ENTITY), no_slettet=present(DELETED, SHORT))
        assert found["status"] == "dissolved"

    def test_absence_from_a_full_edition_dissolves_on_its_day(self) -> None:
        (found,) = companies(no_enheter=present(ENTITIES, ENTITY, MONDAY, retired=TUESDAY))
        assert (found["status"], found["dissolved_date"], found["status_date"]) == (
            "dissolved",
            date(2026, 11, 17),
            date(2026, 11, 17),
        )
        assert found["registry_status"] is None

    def test_a_company_that_comes_back_is_as_registered(self) -> None:
        (found,) = companies(no_enheter=present(ENTITIES, ENTITY, TUESDAY, retired=MONDAY))
        assert (found["status"], found["dissolved_date"]) == ("active", None)

    def test_the_short_bodys_date_is_better_than_the_editions(self) -> None:
        (found,) = companies(
            no_enheter=present(ENTITIES, ENTITY, MONDAY, retired=TUESDAY), no_slettet=present(DELETED, SHORT, TUESDAY)
        )
        assert found["dissolved_date"] == date(2026, 9, 15)

    def test_a_retired_short_body_still_counts(self) -> None:
        """Deleted entities are not in the bulk: its absence there says nothing about the short body."""
        (found,) = companies(
            no_enheter=present(ENTITIES, ENTITY, MONDAY), no_slettet=present(DELETED, SHORT, MONDAY, retired=TUESDAY)
        )
        assert found["status"] == "dissolved"

    def test_410_takes_what_is_personal(self) -> None:
        gone = {"organisasjonsnummer": NUMBER, "respons_klasse": "Fjernet"}
        names = present(FORMER_NAMES, {"organisasjonsnummer": NUMBER, "historiskeNavn": ["FØR AS"]})
        owner = ENTITY | {"organisasjonsform.kode": "ENK", "navn": "KARI EKSEMPEL"}
        for entity, name in ((ENTITY, "EKSEMPEL AS"), (owner, NUMBER)):
            (found,) = companies(
                no_enheter=present(ENTITIES, entity), no_slettet=present(DELETED, gone, TUESDAY), no_navn=names
            )
            assert (found["name"], found["status"], found["dissolved_date"]) == (name, "dissolved", date(2026, 11, 17))
            assert [found[field] for field in ("website", "address_lines", "previous_names", "post_town")] == [None] * 4

    def test_410_of_an_unknown_entity_makes_no_company(self) -> None:
        gone = {"organisasjonsnummer": NUMBER, "respons_klasse": "Fjernet"}
        assert companies(no_slettet=present(DELETED, gone)) == []
