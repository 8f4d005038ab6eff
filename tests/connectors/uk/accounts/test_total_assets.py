"""Total assets of UK balance sheets: computed, confirmed, or null (pitfall 15)."""

from typing import Any

from connectors.uk.accounts.document import AccountsRow

YEAR = "2017-01-01/2017-12-31"
END = "2017-12-31"


def assets(
    blank: Any, own: Any, *, fixed: object = 100, current: object = 60, less: object = 140, **more: object
) -> AccountsRow:
    page = blank()
    for name, value in {
        "FixedAssets": fixed,
        "CurrentAssets": current,
        "TotalAssetsLessCurrentLiabilities": less,
    }.items():
        if value is not None:
            page.number(name, value, END)
    page.number("Creditors", 20, END, "WithinOneYear")
    page.number("AverageNumberEmployeesDuringPeriod", 1, YEAR, unit="pure")
    for name, value in more.items():
        page.number(name, value, END)
    page.context(YEAR)
    return own(page.read())


def test_pitfall_15_total_assets_are_derived_and_confirmed(blank: Any, own: Any) -> None:
    row = assets(blank, own)
    assert (row.total_assets, row.derived) == (160, ("total_assets",))
    assert assets(blank, own, CalledUpShareCapitalNotPaidNotExpressedAsCurrentAsset=5, less=145).total_assets == 165
    assert assets(blank, own, fixed=None, PropertyPlantEquipment=70, IntangibleAssets=30).total_assets == 160
    assert assets(blank, own, current=None, Debtors=40, CashBankOnHand=20).total_assets == 160
    assert assets(blank, own, less=None, Equity=140).total_assets == 160
    assert (
        assets(blank, own, less=None, Equity=110, ProvisionsForLiabilitiesBalanceSheetSubtotal=30).total_assets == 160
    )


def test_pitfall_15_total_assets_are_null_where_nothing_confirms_them(blank: Any, own: Any) -> None:
    assert assets(blank, own, less=150).total_assets is None
    assert assets(blank, own, less=None, Equity=1).total_assets is None
    assert assets(blank, own, fixed=None, current=None, less=None, Equity=0).total_assets is None
    assert assets(blank, own, fixed=-200, current=60, less=-160).total_assets is None
    assert assets(blank, own, less=150).derived == ()


def test_pitfall_15_a_stated_total_is_read(blank: Any, own: Any) -> None:
    row = assets(blank, own, Assets=500)
    assert (row.total_assets, row.derived) == (500, ())
    row = assets(blank, own, Assets=-500)
    assert (row.total_assets, row.derived) == (160, ("total_assets",))
