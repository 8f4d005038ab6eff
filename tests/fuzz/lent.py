"""Bodies in the writing of the connectors' own tests, of sources that the sandbox plays only to say nothing.

Among them what must not come through: a sole proprietor, a personal number, persons beside companies. Does not belong
here: bodies written for fuzzing alone (`invented`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

from tests.connectors.firds.firds_files import Line, delta, full, packed
from tests.connectors.gleif.gleif_bodies import answer, cdf, golden, lei, record, table
from tests.connectors.news.news_files import mfn, mfn_item
from tests.connectors.regulators.feeding import rss, sanction, solr
from tests.connectors.regulators.test_regulator_acts import news, release
from tests.connectors.regulators.test_regulator_esma import csv, suspension
from tests.connectors.regulators.test_regulator_nordic import AT
from tests.connectors.se.test_nasdaq import release as disclosed
from tests.fuzz.case import Case

_RECORDS: Final = (
    record(lei("FI1"), "RA000188", "0112038-9", "FI", name="Esimerkki Oyj"),
    record(lei("NO1"), "RA000472", "923609016", "NO", name="Eksempel ASA"),
    record(lei("SE1"), "RA000544", "556036-0793", "SE", name="Exempel AB"),
    record(lei("UK1"), "RA000585", "00000006", "GB", name="Example plc"),
    record(lei("SE2"), "RA000544", "19121212-1212", "SE", name="Exempel"),
    record(lei("FI2"), "RA000188", "0112038-9", "FI", name="Kari Esimerkki", category="SOLE_PROPRIETOR"),
)
_LEI: Final = (
    Case("gleif_api/lei_records__all.json", answer(*_RECORDS)),
    Case("gleif_golden_copy/20261116-0800-gleif-goldencopy-lei2-golden-copy.json", golden(*_RECORDS)),
    Case("gleif_golden_copy/20261116-gleif-concatenated-file-lei2.xml", cdf(*_RECORDS)),
    Case("gleif_golden_copy/20261116-0800-gleif-goldencopy-lei2-golden-copy.csv", table(*_RECORDS)),
)
_WHEN: Final = {"publish_date": "2026-10-15T07:00:00Z"}
_MFN: Final = (
    Case(
        "mfn/feed.json",
        mfn(
            mfn_item(1, content=_WHEN),
            mfn_item(2, content=_WHEN, properties={"scopes": ["NO"]}, author={"local_refs": ["NO:923609016"]}),
            mfn_item(3, content=_WHEN, properties={"scopes": ["FI"]}, author={"local_refs": ["FI:0112038-9"]}),
        ),
    ),
)
_ESMA: Final = (
    Case(
        "esma_sanctions/answer.json",
        solr(
            sanction(),
            sanction(sn_sanctionEsmaID="SAN2", sn_entityName="Eksempel ASA", sn_countryName="NORWAY"),
            sanction(sn_sanctionEsmaID="SAN3", sn_entityName="Exempel AB", sn_countryName="SWEDEN"),
            sanction(sn_sanctionEsmaID="SAN4", sn_entityName="Ann Example", sn_entityLEI=None),
        ),
    ),
    Case(
        "esma_saris/export.csv",
        csv(*(suspension(memberStateOfNotifyingCA=country) for country in ("FINLAND", "NORWAY", "SWEDEN"))),
    ),
)
_LINES: Final = (Line(), Line("NO0010096985", "XOSL"), Line("FI0009000681", "XHEL"), Line("GB0002374006", "XLON"))
_WHOLE: Final = "FULINS_E_20261121_01of01.zip"
_CHANGES: Final = "DLTINS_20261121_01of01.zip"
LENT: Final[Mapping[str, tuple[Case, ...]]] = {
    **dict.fromkeys(("fi.lei", "no.lei", "se.lei", "uk.lei"), _LEI),
    **dict.fromkeys(("fi.mfn", "no.mfn", "se.mfn"), _MFN),
    **dict.fromkeys(("fi.esma", "no.esma", "se.esma"), _ESMA),
    **dict.fromkeys(
        ("fi.firds", "no.firds", "se.firds", "uk.firds"), (Case(f"firds/{_WHOLE}", packed(full(*_LINES), _WHOLE)),)
    ),
    **dict.fromkeys(
        ("fi.firds_changes", "no.firds_changes", "se.firds_changes", "uk.firds_changes"),
        (Case(f"firds/{_CHANGES}", packed(delta(*_LINES), _CHANGES)),),
    ),
    "se.nasdaq": (
        Case(
            "nasdaq_cns/query.json",
            json.dumps({"results": {"item": [disclosed(1, "Interim report January-September 2026")]}}).encode(),
        ),
    ),
    "no.tilsyn": (
        Case(
            "finanstilsynet_rss/feed.xml",
            rss([
                news("www.finanstilsynet.no", "Overtredelsesgebyr til Eksempel ASA", "/nyhetsarkiv/a", AT),
                news("www.finanstilsynet.no", "Tilbakekall av tillatelse - Påhitt AS", "/nyhetsarkiv/b", AT),
            ]),
        ),
    ),
    "uk.fca": (
        Case(
            "fca_rss/feed.xml",
            rss([
                news("www.fca.org.uk", "FCA fines Acme Capital plc £5m for failings", category="Press Releases"),
                news("www.fca.org.uk", "FCA bans Ann Example and fines Acme Capital plc and others £5m", "/news/b"),
            ]),
        ),
    ),
    "uk.pra": (Case("boe_rss/feed.xml", rss([news("www.bankofengland.co.uk", "PRA fines Acme Bank plc £5m", "/news/2026/a", AT)])),),
    "us.cftc": (
        Case(
            "cftc_rss/feed.xml",
            rss([
                news("www.cftc.gov", "CFTC Charges Texas Man and His Company, Foo LLC, with Fraud", "/a/1-26", AT),
                news("www.cftc.gov", "CFTC Orders Acme Corp. to Pay $1 Million", "/a/2-26", AT),
            ]),
        ),
    ),
    "us.sec": (
        Case(
            "sec_rss/litigation.xml",
            rss([release("Western Sierra Resource Corporation, Roger Example, and Dennis Example")], "Litigation Releases"),
        ),
    ),
}  # fmt: skip
