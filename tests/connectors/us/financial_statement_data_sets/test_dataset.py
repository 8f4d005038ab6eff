"""Financial Statement Data Sets: the two tables that are read, whole entities alone, and what companyfacts leaves to them."""

from pathlib import Path

import polars as pl
import pytest

from connectors.contract.dataset import Batch, NotApplicable, UnreadableFileError
from connectors.us.financial_statement_data_sets import dataset as financial_statement_data_sets_dataset
from connectors.us.financial_statement_data_sets.schema import HISTORY
from tests.connectors.us.fact_files import Fact, accession, archive, body, piece, read, shared, signals
from tests.tables import check_cases
from warehouse.schema.tables import FILINGS, FINANCIALS_REPORTED

SUB = "adsh\tcik\tname\tsic\tform\tperiod\tfy\tfp\tfiled\tprevrpt\tnciks\n"
NUM = "adsh\ttag\tversion\tddate\tqtrs\tuom\tsegments\tcoreg\tvalue\tfootnote\n"
ADSH = accession("10001")
FILED = f'{ADSH}\t999999\tEXAMPLE "CORP"\t7372\t10-K\t20091231\t2009\tFY\t20100210\t0\t1\n'
VALUE = f"{ADSH}\tRevenues\tus-gaap/2009\t20091231\t4\tUSD\t\t\t1000.0000\t\n"


def quarter(num: str, sub: str = FILED, **members: str) -> bytes:
    tables = {"sub.txt": SUB + sub, "num.txt": NUM + num, "tag.txt": "tag\n", "pre.txt": "adsh\n", "readme.htm": ""}
    return archive({name: text.encode() for name, text in {**tables, **members}.items()})


def staged_of(content: bytes) -> list[Batch]:
    return list(
        financial_statement_data_sets_dataset.read_batches(
            piece(content, "fsds/2010q1.zip", financial_statement_data_sets_dataset.KEY)
        )
    )


def test_whole_entities_of_standard_tags_alone() -> None:
    others = [
        f"{ADSH}\tRevenues\tus-gaap/2009\t20081231\t4\tUSD\tSegment=A;\t\t300.0000\t\n",
        f"{ADSH}\tRevenues\tus-gaap/2009\t20081231\t4\tUSD\t\tOther Registrant\t300.0000\t\n",
        f"{ADSH}\tRevenues\t{ADSH}\t20081231\t4\tUSD\t\t\t300.0000\t\n",
        f"{ADSH}\tRevenues\tus-gaap/2009\t20081231\t4\tshares\t\t\t300.0000\t\n",
        f"{ADSH}\tRevenues\tus-gaap/2009\t20081231\t4\tUSD\t\t\t\tnil\n",
        f"{ADSH}\tAssets\tus-gaap/2009\t20091231\t0\tUSD\t\t\t5000.0000\t\n",
    ]
    two_registrants = FILED.replace("\t1\n", "\t2\n")
    rows = next(batch.rows for batch in staged_of(quarter(VALUE + "".join(others), two_registrants)))
    assert rows.columns == list(HISTORY.names)
    assert rows.select("cik", "span", "Revenues", "Assets").sort("span").rows() == [
        ("0000999999", "2009-01-01/2009-12-31", 1000, None),
        ("0000999999", "2009-12-31", None, 5000),
    ]


@pytest.mark.parametrize("unit", ["usd", "XYZ"])
def test_amounts_in_no_currency_are_left_out_and_told(unit: str) -> None:
    batch = staged_of(quarter(VALUE + VALUE.replace("20091231\t4\tUSD", f"20081231\t4\t{unit}")))[0]
    assert batch.rows["Revenues"].to_list() == [1000]
    assert [(one.code, one.subject) for one in batch.signals] == [("amount_without_currency", f"Revenues {unit}")]


def test_a_filing_of_a_day_to_come_is_a_reject() -> None:
    batch = staged_of(quarter(VALUE, FILED.replace("20100210", "21990210")))[0]
    assert batch.rows.is_empty()
    assert batch.rejects["reason"].to_list() == ["no accession, filer, form or day"]


def test_values_that_contradict_each_other_are_none_and_told() -> None:
    twice = VALUE + VALUE.replace("us-gaap/2009", "us-gaap/2008").replace("1000.0000", "2000.0000")
    assets = f"{ADSH}\tAssets\tus-gaap/2009\t20091231\t0\tUSD\t\t\t5000.0000\t\n"
    repeated = assets + assets.replace("us-gaap/2009", "us-gaap/2008").replace("5000.0000", "5000.00")
    batch = staged_of(quarter(twice + repeated))[0]
    assert batch.rows.select("Revenues", "Assets").rows() == [(None, 5000)]
    assert [(one.code, one.subject, one.count) for one in batch.signals] == [("contradicting_facts", "Revenues", 1)]
    rounded = VALUE.replace("1000.0000", "4462383000") + VALUE.replace("us-gaap/2009", "us-gaap/2008").replace(
        "1000.0000", "4462400000"
    )
    batch = staged_of(quarter(rounded))[0]
    assert (batch.rows["Revenues"].to_list(), batch.signals) == ([4_462_383_000], ())


def test_contradicted_value_is_not_replaced_by_another_quantity() -> None:
    twice = VALUE + VALUE.replace("us-gaap/2009", "us-gaap/2008").replace("1000.0000", "2000.0000")
    part = VALUE.replace("Revenues", "SalesRevenueGoodsNet").replace("1000.0000", "90")
    result = VALUE.replace("Revenues", "NetIncomeLoss").replace("1000.0000", "7")
    earlier = part.replace("20091231", "20081231")
    rows = staged_of(quarter(twice + part + result + earlier))[0].rows
    assert rows.select("span", "Revenues", "SalesRevenueGoodsNet", "NetIncomeLoss").sort("span").rows() == [
        ("2008-01-01/2008-12-31", None, 90, None),
        ("2009-01-01/2009-12-31", None, None, 7),
    ]


@pytest.mark.parametrize(("written", "whole"), [("-2.5000", -2), ("3.5000", 4), ("2.5001", 3)])
def test_fractions_are_whole_units_halves_to_even(written: str, whole: int) -> None:
    rows = staged_of(quarter(VALUE.replace("1000.0000", written)))[0].rows
    assert rows["Revenues"].to_list() == [whole]


def test_years_without_the_column_segments_are_read() -> None:
    text = (NUM + VALUE).replace("segments\t", "").replace("USD\t\t\t", "USD\t\t")
    rows = staged_of(archive({"sub.txt": (SUB + FILED).encode(), "num.txt": text.encode()}))
    assert rows[0].rows["Revenues"].to_list() == [1000]


def test_fy_may_be_null() -> None:
    rows = staged_of(quarter(VALUE, FILED.replace("\t2009\tFY", "\t\t")))[0].rows
    assert rows["focus"].to_list() == [None]


def test_companyfacts_holds_of_a_filing_it_knows_and_lends_its_days() -> None:
    known: list[Fact] = [
        ("Revenues", "2008-12-28", "2009-12-26", 1000.0, "10001", "10-K", "2010-02-10"),
        ("NetIncomeLoss", "2008-12-28", "2009-12-26", 90.0, "10001", "10-K", "2010-02-10"),
    ]
    later = VALUE.replace(ADSH, accession("11001")).replace("1000.", "1100.")
    sub = FILED + FILED.replace(ADSH, accession("11001")).replace("20100210", "20110210")
    silent = VALUE.replace("1000.", "7777.") + VALUE.replace("Revenues", "OperatingIncomeLoss")
    tables = shared([*read(body(known)), *staged_of(quarter(silent + later, sub))])
    rows = tables[FINANCIALS_REPORTED.name].sort("revenue")
    assert rows["operating_result"].to_list() == [None, None]
    assert rows.select(pl.col("period_end").cast(pl.String), "revenue", "register").rows() == [
        ("2009-12-26", 1000, "us.companyfacts"),
        ("2009-12-26", 1100, "us.fsds"),
    ]


@check_cases(
    ("content", "code"),
    [
        (quarter(VALUE.replace(ADSH, accession("99001"))), "values_of_no_filing"),
        (quarter(VALUE.replace("20091231", "20091399")), "impossible_day"),
        (quarter(VALUE.replace("20091231", "00001231")), "impossible_day"),
        (quarter(VALUE.replace("20091231", "99991231")), "impossible_day"),
        (quarter(VALUE.replace("\t4\t", "\t4000000000\t")), "impossible_day"),
        (quarter(VALUE.replace("\t4\t", "\t-4\t")), "impossible_day"),
        (quarter(VALUE.replace("1000.0", "1000000000000000000.0")), "impossible_day"),
    ],
)
def test_drift_is_told(content: bytes, code: str) -> None:
    assert code in signals(staged_of(content))


def test_a_quarter_whose_rounded_end_lies_behind_the_day_of_filing_counts() -> None:
    sub = FILED.replace("20100210", "20100128").replace("20091231", "20100131")
    tables = shared(staged_of(quarter(VALUE.replace("20091231", "20100131"), sub)))
    assert tables[FINANCIALS_REPORTED.name]["revenue"].to_list() == [1000]


@pytest.mark.parametrize("filed", ["00000210", "99990210", "2010"])
def test_a_filing_of_no_day_is_a_reject(filed: str) -> None:
    batch, _ = staged_of(quarter(VALUE, FILED.replace("20100210", filed)))
    assert batch.rejects["record"].to_list() == [ADSH]


def test_a_filing_without_a_filer_is_a_reject() -> None:
    batch, _ = staged_of(quarter(VALUE, FILED.replace("\t999999\t", "\t\t")))
    assert batch.rejects["record"].to_list() == [ADSH]


def test_an_archive_without_values_is_unreadable() -> None:
    with pytest.raises(UnreadableFileError, match=r"no num\.txt"):
        staged_of(archive({"sub.txt": SUB.encode()}))


def test_filers_of_history_have_a_name() -> None:
    _, names = staged_of(quarter(VALUE))
    assert names.rows.rows() == [("0000999999", 'EXAMPLE "CORP"')]


def test_parquet_and_pages_are_not_ours() -> None:
    assert isinstance(
        financial_statement_data_sets_dataset.recognise_file("fsds/2010q1.num.parquet", b"PAR1"), NotApplicable
    )
    assert isinstance(
        financial_statement_data_sets_dataset.recognise_file("fsds/x.zip", b"<html>Undeclared Automated Tool</html>"),
        NotApplicable,
    )


# From the filings: revenue, operating result, net result, equity and total assets of the filing's own period.
GENUINE = {
    "0000019617": ("2010-03-31", 27_671, None, 3_326, 164_721, 2_135_796),  # JPMorgan
    "0000070858": ("2010-03-31", 31_969, None, 3_182, 229_823, 2_338_700),  # Bank of America
    "0001099219": ("2010-03-31", 13_190, None, 835, 35_811, 565_566),  # MetLife
    "0000731766": ("2010-03-31", 23_193, 2_016, 1_191, 24_319, 59_541),  # UnitedHealth
    "0000701221": ("2010-03-31", 5_205, None, 283, 5_801, 43_864),  # Cigna before the merger
    "0000858877": ("2010-04-30", 10_368, 2_345, 2_192, 43_830, 79_292),  # Cisco: to 1 May 2010
    "0000080424": ("2010-03-31", 19_178, 3_968, 2_585, 66_773, 132_986),  # Procter & Gamble
    "0000849399": ("2010-03-31", 5_985, 933, 714, 4_548, 11_232),  # Symantec: to 2 April 2010
    "0001390777": ("2010-03-31", None, None, 584, 29_683, 220_551),  # BNY Mellon tags no total for the whole
}


@pytest.mark.sources
def test_a_genuine_quarter(sources: Path) -> None:
    path = sources / "us" / "fsds" / "2010q2.subset.zip"
    if not path.is_file():
        pytest.skip("no data sets among the genuine files")
    tables = shared(staged_of(path.read_bytes()))
    assert tables[FILINGS.name].height == 33
    rows = tables[FINANCIALS_REPORTED.name].filter(~pl.col("is_comparative"))
    for cik, (end, *due) in GENUINE.items():
        mine = rows.filter(pl.col("company_id").str.ends_with(cik), pl.col("period_end").cast(pl.String) == end).row(
            0, named=True
        )
        names = ("revenue", "operating_result", "net_result", "equity", "total_assets")
        assert [mine[name] for name in names] == [None if one is None else one * 10**6 for one in due], cik


# Years to 2009, from the annual reports: revenue, operating result, net result, equity and total assets in millions.
YEARS = {
    "0000019617": (100_434, None, 11_728, 165_365, 2_031_989),  # JPMorgan
    "0000027419": (65_357, None, 2_488, 15_347, 44_533),  # Target: the total, not the sales of 63,435
    "0000070858": (119_643, None, 6_276, 231_444, 2_223_299),  # Bank of America
    "0000072971": (88_686, None, 12_275, 111_786, 1_243_646),  # Wells Fargo: 46,324 and 42,362
    "0000091576": (4_415, None, -1_335, 10_933, None),  # KeyCorp, which tags neither a total nor its assets
    "0000831001": (80_285, None, -1_606, 152_700, 1_856_646),  # Citigroup
    "0000886982": (None, None, 13_385, 70_714, 848_942),  # Goldman Sachs: its net revenues are a tag of its own
    "0000899051": (32_013, None, 854, 16_692, 132_652),  # Allstate
    "0001067983": (112_493, None, 8_055, 131_102, 297_119),  # Berkshire Hathaway
    "0001099219": (41_058, None, -2_246, 33_121, 539_314),  # MetLife
    "0001122304": (34_764, None, 1_276, 9_504, 38_550),  # Aetna
    "0001159510": (33_294, None, 6_724, 37_517, 1_031_427),  # Credit Suisse, in francs
}


@pytest.mark.sources
def test_genuine_years_of_banks_brokers_and_insurers(sources: Path) -> None:
    """The tables of a quarter that somebody keeps as Parquet, as the SEC spells them."""
    paths = {name: sources / "us" / "fsds" / f"2010q1.annual_a.{name}.parquet" for name in ("sub", "num")}
    if not all(path.is_file() for path in paths.values()):
        pytest.skip("no annual tables among the genuine files")
    members = {
        f"{name}.txt": pl.read_parquet(path).cast(pl.String).write_csv(separator="\t", quote_style="never").encode()
        for name, path in paths.items()
    }
    rows = shared(staged_of(archive(members)))[FINANCIALS_REPORTED.name]
    own = rows.filter(~pl.col("is_comparative"), pl.col("fiscal_year") == 2009).to_dicts()
    names = ("revenue", "operating_result", "net_result", "equity", "total_assets")
    found = {row["company_id"][-10:]: tuple(_millions(row[name]) for name in names) for row in own}
    assert {cik: found.get(cik) for cik in YEARS} == YEARS
    assert set(rows.filter(pl.col("company_id").str.ends_with("0001159510"))["currency"]) == {"CHF"}


def _millions(amount: int | None) -> int | None:
    return None if amount is None else round(amount / 10**6)


@check_cases(
    ("registrants", "coregs", "due"),
    [
        ("1", ("Example Corp",), [1000]),  # one registrant, whom a broken export names as its own co-registrant
        ("1", ("Example Corp", "Example Sub"), []),  # which of the two is the filer is not said
        ("2", ("Example Sub",), []),
        ("", ("Example Sub",), []),
    ],
)
def test_values_under_a_co_registrant_are_read_where_the_filing_has_one_registrant(
    registrants: str, coregs: tuple[str, ...], due: list[int]
) -> None:
    sub = SUB + FILED.replace("\t1\n", f"\t{registrants}\n")
    num = NUM + "".join(VALUE.replace("USD\t\t\t", f"USD\t\t{name}\t") for name in coregs)
    rows = staged_of(archive({"sub.txt": sub.encode(), "num.txt": num.encode()}))[0].rows
    assert (rows["Revenues"].to_list() if rows.height else []) == due


def test_parents_own_statements_beside_the_consolidated_ones_are_not_the_filers() -> None:
    consolidated = VALUE.replace("Revenues", "NoninterestIncome")
    last_year = VALUE.replace("20091231", "20081231")
    for parent, others in (("ParentCompany", consolidated), ("Example Guarantor", VALUE), ("ParentCompany", "")):
        own = last_year.replace("USD\t\t\t", f"USD\t\t{parent}\t")
        rows = staged_of(quarter(others + own))[0].rows
        assert "2008-01-01/2008-12-31" not in rows["span"].to_list()
