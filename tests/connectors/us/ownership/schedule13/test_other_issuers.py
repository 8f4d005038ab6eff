"""Schedules under a CIK that is not their issuer's (docs/formats/us.md 7.1)."""

from collections.abc import Sequence

from connectors.contract.dataset import MAPPING_SIGNALS
from connectors.kit.staging import make_batch
from connectors.us.contributions import ownership
from connectors.us.submissions.schema import FILERS
from tests.connectors.us.holder_files import (
    COMPANY,
    CUSIP,
    INSTANT,
    ISSUER,
    STAKES,
    person_g,
    present,
    read,
    schedule_g,
)
from tests.tables import check_cases

OTHER_CUSIP = "65432XYZ1"


def profile(name: str, former: Sequence[str] = ()) -> list:
    row = {"cik": ISSUER, "name": name, "is_person": False, "former_names": list(former)}
    return [
        make_batch(FILERS, [row | {column: [] for column in ("tickers", "exchanges", "categories", "pages", "aged")}])
    ]


def stated(holder: str, cik: int, issuer: str = "Example Corp.", cusip: str = CUSIP) -> list:
    text = schedule_g(person_g(holder, "7", cik=f"{cik:010}"), filer=f"{cik:010}").replace("Example Corp.", issuer)
    return read(STAKES, text.replace(CUSIP, cusip), f"{cik:010}-26-000001.xml")


def mapped(*batches: list) -> tuple[list[str], list[str]]:
    """Names of the company's holders, and the signals."""
    made = ownership.OWNERSHIP.to_shared_tables(present(*batches, company=COMPANY), INSTANT.date())
    return sorted(made["holdings"]["holder_name"]), made[MAPPING_SIGNALS]["code"].to_list()


@check_cases(
    ("issuer", "cusip", "is_kept"),
    [
        ("Birch Steel Inc", OTHER_CUSIP, False),
        ("Birch Steel Inc", CUSIP, True),  # the CUSIP is the company's: it was renamed
        ("EXAMPLE CORPORATION /NV/", OTHER_CUSIP, True),
        ("Alder Timber Corp", OTHER_CUSIP, True),  # its former name
    ],
)
def test_schedule_of_another_issuers_name_and_cusip_is_left_out_and_told(
    issuer: str, cusip: str, *, is_kept: bool
) -> None:
    profiled = profile("EXAMPLE CORP", ["ALDER TIMBER CORP"])
    held, signals = mapped(profiled, stated("ALPHA LP", 7), stated("OMEGA LP", 8, issuer, cusip))
    assert held == (["ALPHA LP", "OMEGA LP"] if is_kept else ["ALPHA LP"])
    assert signals == ["issuer_of_another_name"] * (not is_kept)


def test_name_that_two_holders_use_is_the_renamed_companys() -> None:
    renamed = [stated(f"HOLDER {cik} LP", cik, "Birch Steel Inc", OTHER_CUSIP) for cik in (8, 9)]
    assert mapped(profile("EXAMPLE CORP"), stated("ALPHA LP", 7), *renamed)[1] == []


def test_schedule_of_a_company_without_a_profile_stays() -> None:
    assert mapped(stated("OMEGA LP", 8, "Birch Steel Inc", OTHER_CUSIP)) == (["OMEGA LP"], [])
