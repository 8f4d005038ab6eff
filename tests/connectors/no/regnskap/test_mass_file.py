"""The mass file, and one submission that comes through both doors."""

from datetime import UTC, date, datetime
from typing import Any

import pytest

from connectors.contract.dataset import NotApplicable, RecognisedFile, Scope, UnreadableFileError
from tests.connectors.no.account_files import (
    BAL,
    MASS,
    MONDAY,
    RECORD,
    RES,
    TUESDAY,
    api,
    batches,
    changed,
    mass,
    normalised,
    part,
    present,
    signals,
)
from warehouse.schema.ids import filing_id


def year_before(start: str) -> dict[str, Any]:
    """The company's own accounts of the year that ended on 2024-12-31."""
    told = changed("journalnr", "2025000001")
    return changed("regnskapsperiode", {"fraDato": start, "tilDato": "2024-12-31"}, told)


class TestMass:
    def test_two_parts_make_one_row_wherever_they_stand(self) -> None:
        other = {"orgnr": "984851006", "journalnr": "1"}
        batch = mass(part("RES", RES), part("RES", RES, **other), part("BAL", BAL), part("BAL", BAL, **other), posts=26)
        assert batch.rows.height == 2
        assert batch.rows["feltkode.72"].to_list() == [900, 900]
        assert batch.rows["feltkode.219"].to_list() == [1000, 1000]
        assert signals(batch) == set()

    def test_the_file_name_says_when_it_was_written(self) -> None:
        found = MASS.recognise_file("regnskap_masse/20190327213825-masse-2.xml", b"<?xml version='1.0'?><deler>")
        assert found == RecognisedFile(datetime(2019, 3, 27, 21, 38, 25, tzinfo=UTC), Scope.PART)

    def test_other_xml_is_not_ours(self) -> None:
        assert isinstance(MASS.recognise_file("x.xml", b"<?xml version='1.0'?><roller/>"), NotApplicable)

    def test_own_figures_and_the_year_before(self) -> None:
        filings, rows = normalised(
            no_regnskap=present(api(year_before("2024-01-01")).rows),
            no_regnskap_masse=present(mass(part("RES", RES), part("BAL", BAL)).rows),
        )
        [filing] = [one for one in filings if one["filing_id"] == filing_id("no.regnskap", "2026635024:SELSKAP")]
        assert filing["filed_at"] == date(2026, 6, 25)
        own, before = [row for row in rows if row["filing_id"] == filing["filing_id"]]
        assert [own[name] for name in ("revenue", "operating_result", "net_result", "equity", "total_assets")] == [
            900,
            100,
            50,
            400,
            1000,
        ]
        assert (own["is_comparative"], own["accounting_standard"]) == (False, "NGAAP")
        assert [before[name] for name in ("revenue", "operating_result", "net_result", "equity", "total_assets")] == [
            700,
            70,
            7,
            350,
            950,
        ]
        assert (before["is_comparative"], before["period_start"], before["period_end"]) == (
            True,
            date(2024, 1, 1),
            date(2024, 12, 31),
        )

    @pytest.mark.parametrize("start", ["2023-10-01", "2024-09-15", "2023-07-01"])
    def test_comparatives_have_the_period_of_the_own_accounts_whatever_its_length(self, start: str) -> None:
        _, rows = normalised(
            no_regnskap=present(api(year_before(start)).rows),
            no_regnskap_masse=present(mass(part("RES", RES), part("BAL", BAL)).rows),
        )
        [before] = [row for row in rows if row["is_comparative"]]
        assert (before["period_start"], before["period_end"]) == (date.fromisoformat(start), date(2024, 12, 31))

    def test_comparatives_without_own_accounts_have_no_first_day_and_are_left_out(self) -> None:
        _, rows = normalised(no_regnskap_masse=present(mass(part("RES", RES), part("BAL", BAL)).rows))
        assert [row["is_comparative"] for row in rows] == [False]

    def test_a_heading_without_figures_is_null_and_a_zero_is_zero(self) -> None:
        batch = mass(part("RES", RES | {72: None, 172: "0.00"}), part("BAL", BAL))
        assert batch.rows["feltkode.72"].to_list() == [None]
        assert batch.rows["feltkode.172"].to_list() == [0]

    def test_no_year_before_after_a_short_period(self) -> None:
        short = {"startdato": "20250901"}
        _, rows = normalised(no_regnskap_masse=present(mass(part("RES", RES, **short), part("BAL", BAL, **short)).rows))
        assert [row["is_comparative"] for row in rows] == [False]

    def test_no_year_before_where_nothing_of_it_is_given(self) -> None:
        _, rows = normalised(
            no_regnskap_masse=present(mass(part("RES", {172: "5.00"}), part("BAL", {219: "1.00"})).rows)
        )
        assert len(rows) == 1

    def test_a_part_alone_is_kept_and_told(self) -> None:
        batch = mass(part("BAL", BAL))
        assert batch.rows.height == 1
        assert ("unpaired_part", "BAL") in signals(batch)

    @pytest.mark.parametrize(
        "head", [{"valutakode": "USD"}, {"startdato": "20240701"}, {"avslutningsdato": "20251130"}]
    )
    def test_parts_of_another_currency_or_period_are_not_one_set_of_accounts(self, head: dict[str, str]) -> None:
        batch = mass(part("RES", RES, **head), part("BAL", BAL))
        assert batch.rows.is_empty()
        assert batch.rejects["reason"].to_list() == [
            f"the parts of the submission contradict each other: {next(iter(head))}"
        ]

    def test_a_post_given_twice_with_different_sums_is_null_and_told(self) -> None:
        again = "<info><feltkode>72</feltkode><sum>{}</sum><post nr='1'><tall>1</tall></post></info></del>"
        for amount, due in (("1.00", None), ("900.00", 900)):
            batch = mass(part("RES", RES).replace("</del>", again.format(amount)), part("BAL", BAL), posts=14)
            assert batch.rows["feltkode.72"].to_list() == [due]
            assert (("contradictory_post", "feltkode.72") in signals(batch)) == (due is None)

    @pytest.mark.parametrize(("other", "due"), [("850.00", None), ("900.00", 900), ("1.00", 1)])
    def test_a_contradicted_total_is_not_taken_from_another_line_unless_that_repeats_it(
        self, other: str, due: int | None
    ) -> None:
        again = "<info><feltkode>72</feltkode><sum>1.00</sum><post nr='1'><tall>1</tall></post></info></del>"
        batch = mass(part("RES", RES | {1340: other}).replace("</del>", again), part("BAL", BAL), posts=15)
        assert ("contradictory_post", "feltkode.72") in signals(batch)
        _, rows = normalised(no_regnskap_masse=present(batch.rows))
        assert [row["revenue"] for row in rows] == [due]

    def test_a_part_that_comes_twice_takes_nothing_from_its_counterpart(self) -> None:
        orders = (("RES", "RES", "BAL"), ("RES", "BAL", "RES"), ("BAL", "BAL", "RES"), ("RES", "BAL", "BAL"))
        for order in orders:
            batch = mass(*(part(kind, RES if kind == "RES" else BAL) for kind in order))
            assert batch.rows.select("feltkode.72", "feltkode.219").rows() == [(900, 1000)], order
            assert {code for code, _ in signals(batch)} - {"count_mismatch"} == {"repeated_part"}, order

    def test_posts_in_which_repeated_parts_differ_are_null(self) -> None:
        batch = mass(part("RES", RES), part("RES", RES | {172: "51.00"}), part("BAL", BAL))
        assert batch.rows.select("feltkode.72", "feltkode.172", "feltkode.219").rows() == [(900, None, 1000)]
        assert {("repeated_part", "RES"), ("contradictory_post", "feltkode.172")} <= signals(batch)

    @pytest.mark.parametrize("day", ["2026625", "2026-06-25", "20260231"])
    def test_a_day_of_receipt_that_is_none_is_null_and_told(self, day: str) -> None:
        batch = mass(part("RES", RES, mottatt_dato=day), part("BAL", BAL, mottatt_dato=day))
        assert batch.rows["mottatt_dato"].to_list() == [None]
        assert ("unreadable_value", "mottatt_dato") in signals(batch)

    @pytest.mark.parametrize("day", ["20251231", "20250625", "20261225"])
    def test_accounts_received_before_their_year_was_over_or_after_the_file_have_no_such_day(self, day: str) -> None:
        batch = mass(part("RES", RES, mottatt_dato=day), part("BAL", BAL, mottatt_dato=day))
        assert batch.rows["mottatt_dato"].to_list() == [None]
        assert ("impossible_date", "mottatt_dato") in signals(batch)

    def test_scopes_are_two_documents(self) -> None:
        group = {"regnskapstype": "K"}
        batch = mass(part("RES", RES), part("BAL", BAL), part("RES", RES, **group), part("BAL", BAL, **group))
        filings, _ = normalised(no_regnskap_masse=present(batch.rows))
        assert {filing["native_id"] for filing in filings} == {"2026635024:SELSKAP", "2026635024:KONSERN"}

    def test_an_unknown_head_field_is_told(self) -> None:
        assert ("unknown_key", "hode.nyttFelt") in signals(mass(part("RES", RES, nyttFelt="1"), part("BAL", BAL)))

    @pytest.mark.parametrize(
        "head",
        [
            {"orgnr": "1"},
            {"journalnr": ""},
            {"regnskapstype": "X"},
            {"startdato": "2025"},
            {"startdato": "2025111"},  # the first of November, or the eleventh of January
            {"startdato": "00010101"},
            {"avslutningsdato": "20621231"},
        ],
    )
    def test_a_part_that_cannot_be_placed_is_a_reject(self, head: dict[str, str]) -> None:
        batch = mass(part("RES", RES, **head), part("BAL", BAL, journalnr="9"), part("RES", RES, journalnr="9"))
        assert (batch.rows.height, batch.rejects.height) == (1, 1)

    @pytest.mark.parametrize(
        "body", [b"<deler><del><hode>", b"<?xml version='1.0'?><deler></x>", b"<html></html>", b"PK\x03\x04", b"tekst"]
    )
    def test_damage_is_unreadable(self, body: bytes) -> None:
        with pytest.raises(UnreadableFileError):
            batches(MASS, body, "m.xml")


class TestTwoDoors:
    def test_one_submission_through_both_doors_is_one_document(self) -> None:
        ours = api(RECORD, year_before("2024-01-01")).rows
        theirs = mass(part("RES", RES), part("BAL", BAL)).rows
        (_, filing), rows = normalised(no_regnskap=present(ours, TUESDAY), no_regnskap_masse=present(theirs, MONDAY))
        assert (filing["register"], filing["filed_at"]) == ("no.regnskap", date(2026, 6, 25))
        assert sorted(row["is_comparative"] for row in rows) == [False, False, True]

    @pytest.mark.parametrize(
        ("api_seen", "mass_seen", "revenue"), [(TUESDAY, MONDAY, 900), (MONDAY, TUESDAY, 950), (MONDAY, MONDAY, 900)]
    )
    def test_the_newer_record_wins_and_the_open_api_on_a_tie(
        self, api_seen: datetime, mass_seen: datetime, revenue: int
    ) -> None:
        theirs = mass(part("RES", RES | {72: "950.00"}), part("BAL", BAL)).rows
        _, rows = normalised(
            no_regnskap=present(api(RECORD).rows, api_seen), no_regnskap_masse=present(theirs, mass_seen)
        )
        assert [row["revenue"] for row in rows if not row["is_comparative"]] == [revenue]

    def test_gaps_are_filled_from_the_other_door(self) -> None:
        ours = api(changed("resultatregnskapResultat.driftsresultat.driftsinntekter", {})).rows
        theirs = mass(part("RES", {1340: "850.00", 172: "50.00"}), part("BAL", BAL)).rows
        _, rows = normalised(no_regnskap=present(ours, TUESDAY), no_regnskap_masse=present(theirs, MONDAY))
        assert rows[0]["revenue"] == 850

    def test_gaps_are_not_filled_in_another_currency(self) -> None:
        ours = api(changed("resultatregnskapResultat.driftsresultat.driftsinntekter", {}) | {"valuta": "USD"}).rows
        theirs = mass(part("RES", {1340: "850.00", 172: "50.00"}), part("BAL", BAL)).rows
        _, rows = normalised(no_regnskap=present(ours, TUESDAY), no_regnskap_masse=present(theirs, MONDAY))
        assert [(row["currency"], row["revenue"]) for row in rows if not row["is_comparative"]] == [("USD", None)]

    def test_amounts_of_an_unknown_currency_are_not_those_of_the_other_record(self) -> None:
        for newest, older in (("NKR", "NOK"), ("NOK", "NKR")):
            ours = changed("resultatregnskapResultat.driftsresultat.driftsinntekter", {}) | {"valuta": newest}
            theirs = mass(*(part(kind, posts, valutakode=older) for kind, posts in (("RES", RES), ("BAL", BAL)))).rows
            _, rows = normalised(
                no_regnskap=present(api(ours).rows, TUESDAY), no_regnskap_masse=present(theirs, MONDAY)
            )
            found = [(row["currency"], row["revenue"]) for row in rows if not row["is_comparative"]]
            assert found == [("NOK" if newest == "NOK" else None, None)]
