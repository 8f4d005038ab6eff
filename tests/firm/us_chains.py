"""Chains of ownership filings of the United States, and the events that they make: written by hand from the contract.

Each chain is of one issuer of its own; its filings come on numbered days, the first of which is the baseline.
"""

from decimal import Decimal

from tests.connectors.us.holder_files import (
    CUSIP,
    cover_13f,
    filing,
    form4,
    line,
    owner,
    person_d,
    person_g,
    position,
    schedule_d,
    schedule_g,
    table_13f,
)

DAYS = ("2026-10-05", "2026-10-12", "2026-10-19", "2026-10-26")
A, B, C = "0000000011", "0000000012", "0000000013"
Filing = tuple[int, str, str]  # the day it comes, its dataset's folder, its text


def stake(day: int, *persons: str, form: str = "13D", number: int = 0, event: str = "", filed: str = "") -> Filing:
    """A Schedule 13D; `number`: of the amendment, 0 the statement itself. By itself filed the day before it comes."""
    filed = filed or f"{DAYS[day][:8]}{int(DAYS[day][8:]) - 1:02}"
    year, month, on = (event or filed).split("-")
    name = f"SCHEDULE {form}{'/A' if number else ''}"
    text = schedule_d(*persons, form=name, event=f"{month}/{on}/{year}", filer=A)
    text = text.replace("<amendmentNo>1<", f"<amendmentNo>{number or ''}<")
    accession = f"0000000007-26-{day:05}{number}"
    return day, "schedule13", filing(name, (name, text), accession=accession, filed=filed.replace("-", ""))


def passive(day: int, percent: str, form: str = "SCHEDULE 13G/A", exit_: str = "", cik: str | None = A) -> Filing:
    filed = f"{DAYS[day][:8]}{int(DAYS[day][8:]) - 1:02}"
    text = schedule_g(
        person_g("ALPHA LP", percent, f"{Decimal(percent) * 10_000:.0f}", cik=cik),
        form=form,
        event=f"{filed[5:7]}/{filed[8:]}/2026",
        exit_=exit_,
    )
    whole = filing(form, (form, text), accession=f"0000000008-26-{day:06}", filed=filed.replace("-", ""))
    if cik is None:  # nor does the header say who files
        whole = whole.replace("<cik>0000000008<", "<cik><").replace("CENTRAL INDEX KEY:\t\t\t0000000007", "")
    return day, "schedule13", whole


def managed(day: int, shares: str, period: str, filed: str, amendment: str = "") -> Filing:
    form = "13F-HR/A" if amendment else "13F-HR"
    documents = ((form, cover_13f(form, period, amendment)), ("INFORMATION TABLE", table_13f(position(shares=shares))))
    return (day, "form13f", filing(form, *documents, accession=f"0000000009-26-{filed[4:]}{day:02}", filed=filed))


def by_another_manager(told: Filing) -> Filing:
    day, folder, text = told
    return day, folder, text.replace("0000000009", "0000000019")


def left_out(day: int, period: str, filed: str) -> Filing:
    """A restatement whose only row is of another issuer."""
    text = managed(day, "100", period, filed, "RESTATEMENT")[2]
    return by_another_manager(
        (day, "form13f", text.replace(CUSIP, "999999AB9").replace("EXAMPLE &amp; CO", "ELSEWHERE"))
    )


def own(percent: str, name: str = "ALPHA LP", cik: str = A, **more: str) -> str:
    return person_d(name, percent, cik=cik, **more)


def joint(percent: str, *ciks: str) -> list[str]:
    return [own(percent, f"MEMBER {cik[-1]} LP", cik) for cik in ciks]


def retitled(told: Filing, title: str) -> Filing:
    day, folder, text = told
    return day, folder, text.replace("Common Stock, par value $0.01", title)


OTHER = passive(0, "6", "SCHEDULE 13G", cik="0000000099")  # makes the issuer known before
SALE = line("150000", day="2026-10-08")
ANN = owner("MUSTER ANN", A, isDirector="1", isTenPercentOwner="1")
Expected = list[tuple[int, str, float, float, list[int], str]]  # day, holder, before, after, limits, as of

CHAINS: dict[str, tuple[list[Filing], Expected]] = {
    "every step up": (
        [OTHER, stake(1, own("5.0")), stake(2, own("10.00"), number=1), stake(3, own("55"), number=2)],
        [
            (1, "ALPHA LP", 0, 5, [5], "2026-10-11"),
            (2, "ALPHA LP", 5, 10, [10], "2026-10-18"),
            (3, "ALPHA LP", 10, 55, [20, 50], "2026-10-25"),
        ],
    ),
    "every step down": (
        [
            stake(0, own("50")),
            stake(1, own("49.9999"), number=1),
            stake(2, own("10"), number=2),
            stake(3, own("0"), number=3),
        ],
        [
            (1, "ALPHA LP", 50, 49.9999, [50], "2026-10-11"),
            (2, "ALPHA LP", 49.9999, 10, [20], "2026-10-18"),
            (3, "ALPHA LP", 10, 0, [5, 10], "2026-10-25"),
        ],
    ),
    "nothing on the same side": (
        [
            stake(0, own("5.1")),
            stake(1, own("9.9999"), number=1),
            stake(2, own("5"), number=2),
            stake(3, own("o"), number=3),
        ],
        [],
    ),
    "joint filers, one of whom is left out later": (
        [
            OTHER,
            stake(1, *joint("12", A, B, C)),
            stake(2, *joint("12", B, A), number=1),
            stake(3, *joint("0", A, B, C), number=2),
        ],
        [
            *((1, f"MEMBER {place} LP", 0, 12, [5, 10], "2026-10-11") for place in "123"),
            *((3, f"MEMBER {place} LP", 12, 0, [5, 10], "2026-10-25") for place in "123"),
        ],
    ),
    "a member of the group ceases and the others go on": (
        [stake(0, *joint("12", A, B)), stake(2, *joint("12", A), own("0", "MEMBER 2 LP", B), number=1)],
        [(2, "MEMBER 2 LP", 12, 0, [5, 10], "2026-10-18")],
    ),
    "late and once more": (
        [
            stake(0, own("8"), event="2026-08-03", filed="2026-08-05"),
            stake(1, own("12"), number=2),
            stake(2, own("21"), number=1, event="2026-09-14", filed="2026-09-16"),
            (2, *stake(1, own("12"), number=2)[1:]),
            stake(3, own("4.5"), number=3),
        ],
        [(1, "ALPHA LP", 8, 12, [10], "2026-10-11"), (3, "ALPHA LP", 12, 0, [5, 10], "2026-10-25")],
    ),
    "an amendment that repeats an older day": (
        [
            stake(0, own("11"), event="2026-09-01"),
            stake(1, own("12"), number=1),
            stake(2, own("21"), number=2, event="2025-09-01"),
        ],
        [(2, "ALPHA LP", 12, 21, [20], "2026-10-19")],  # the day it was seen: it names none of its own
    ),
    "two amendments at once": (
        [stake(0, own("4"), event="2026-09-01"), stake(1, own("9"), number=1), stake(1, own("11"), number=2)],
        [(1, "ALPHA LP", 4, 11, [5, 10], "2026-10-11")],
    ),
    "a manager's quarters": (
        [
            OTHER,
            managed(0, "40000", "06-30-2026", "20260814"),
            managed(1, "60000", "09-30-2026", "20261009"),
            managed(2, "45000", "09-30-2026", "20261016", "RESTATEMENT"),
            managed(3, "60000", "09-30-2026", "20261023", "NEW HOLDINGS"),
            managed(3, "500000", "06-30-2026", "20261024", "RESTATEMENT"),
        ],
        [
            (1, "Example Management LLC", 4, 6, [5], "2026-09-30"),
            (2, "Example Management LLC", 6, 4.5, [5], "2026-10-19"),
            (3, "Example Management LLC", 4.5, 10.5, [5, 10], "2026-10-26"),
        ],
    ),
    "a restatement leaves the company out": (
        [
            OTHER,
            by_another_manager(managed(0, "40000", "06-30-2026", "20260814")),
            by_another_manager(managed(1, "60000", "09-30-2026", "20261009")),
            left_out(2, "09-30-2026", "20261016"),
            by_another_manager(managed(3, "30000", "09-30-2026", "20261023", "NEW HOLDINGS")),
        ],
        [
            (1, "Example Management LLC", 4, 6, [5], "2026-09-30"),
            (2, "Example Management LLC", 6, 0, [5], "2026-09-30"),
        ],
    ),
    "a holder gets a number": (
        [passive(0, "9", "SCHEDULE 13G", cik=None), stake(1, own("11"))],
        [(1, "ALPHA LP", 9, 11, [10], "2026-10-11")],
    ),
    "an insider is spelled otherwise": (
        [
            stake(0, own("15", "Ann Muster", kind="IN")),
            (1, "forms345", filing("4", ("4", form4(SALE, owners=ANN, period="2026-10-08")), filed="20261009")),
            stake(2, own("20", "Ann Muster", kind="IN"), number=1),
        ],
        [(2, "Ann Muster", 15, 20, [20], "2026-10-18")],
    ),
    "the mark of five percent or less": (
        [
            passive(0, "6", "SCHEDULE 13G"),
            passive(1, "5.5", exit_="Y"),  # the mark is of another person: this one has not ceased
            passive(2, "4.9", exit_="Y"),
            passive(3, "5.2"),
        ],
        [(2, "ALPHA LP", 5.5, 0, [5], "2026-10-18"), (3, "ALPHA LP", 0, 5.2, [5], "2026-10-25")],
    ),
    "a class is titled otherwise": (
        [stake(0, own("9")), retitled(stake(1, own("11"), number=1), "American Depositary Shares")],
        [(1, "ALPHA LP", 9, 11, [10], "2026-10-11")],
    ),
    "another class": (
        [stake(0, own("9")), retitled(stake(1, own("11"), number=1), "Class B Common Stock")],
        [(1, "ALPHA LP", 0, 11, [5, 10], "2026-10-11")],
    ),
}
