"""Bodies written by hand, of sources that the sandbox does not play and no dataset is like.

Does not belong here: a source that anything else writes; those lend to their likes (`seeds`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

from tests.fuzz import packs
from tests.fuzz.case import Case

_HEADER: Final = (
    "Orgnr;Selskap;Aksjeklasse;Navn aksjonær;Fødselsår/orgnr;Postnr/sted;Landkode;Antall aksjer;Antall aksjer selskap\n"
)
_HOLDERS: Final = (
    "923609016;EKSEMPEL ASA;Ordinære aksjer;KARI EKSEMPEL;1961;0150 OSLO;NOR;100;1000\n"
    "923609016;EKSEMPEL ASA;Ordinære aksjer;KARI EKSEMPEL;1988;5003 BERGEN;NOR;40;1000\n"
    "923609016;EKSEMPEL ASA;Ordinære aksjer;PÅHITT INVEST AS;984851006;;NOR;600;1000\n"
    "923609016;EKSEMPEL ASA;Ordinære aksjer;EXAMPLE NOMINEES;;LONDON; EC1;GBR;260;1000\n"
)
_RELEASE: Final = {
    "EncryptedId": "ABCDEF1", "Title": "Exempel signs an agreement", "Intro": "Text", "HtmlBody": "<p>Text</p>",
    "PublishDate": "2026-11-01T07:00:00Z", "LanguageCode": "en", "InformationType": "PRM",
    "CisionWireUrl": "https://news.cision.com/exempel-holding/r/exempel-signs,c4389248",
    "Tickers": [{"Symbol": "EXMP", "ISIN": "SE0000112724"}],
}  # fmt: skip
_SUB: Final = (
    "adsh\tcik\tname\tsic\tform\tperiod\tfy\tfp\tfiled\tprevrpt\n"
    '0000999999-10-000001\t999999\tEXAMPLE "CORP"\t7372\t10-K\t20091231\t2009\tFY\t20100210\t0\n'
)
_NUM: Final = (
    "adsh\ttag\tversion\tddate\tqtrs\tuom\tsegments\tcoreg\tvalue\tfootnote\n"
    "0000999999-10-000001\tRevenues\tus-gaap/2009\t20091231\t4\tUSD\t\t\t1000.0000\t\n"
    "0000999999-10-000001\tAssets\tus-gaap/2009\t20091231\t0\tUSD\t\t\t5000.0000\t\n"
)
_MASS: Final = (
    "<?xml version='1.0' encoding='ISO-8859-1'?><deler><ant_poster>1</ant_poster><del><hode><orgnr>923609016</orgnr>"
    "<regnskapstype>S</regnskapstype><regnaar>2025</regnaar><valutakode>NOK</valutakode>"
    "<regnskap_dokumenttype>BAL</regnskap_dokumenttype><startdato>20250101</startdato>"
    "<avslutningsdato>20251231</avslutningsdato><journalnr>1</journalnr></hode><info><feltkode>219</feltkode>"
    "<sum>1000.00</sum><post nr='1'><tall>1000.00</tall><fritekst>Lønn</fritekst></post></info></del></deler>"
)
INVENTED: Final[Mapping[str, tuple[Case, ...]]] = {
    "no.aksjonaer": (
        Case("aksjonaerregisteret/aksjeeiebok_2025.csv", (_HEADER + _HOLDERS).encode()),
        Case("aksjonaerregisteret/aksjeeiebok_2019.csv", (_HEADER + _HOLDERS).replace("Landkode;", "").replace("NOR;", "").encode("cp1252")),
    ),
    "no.regnskap_masse": (Case("regnskap_masse/20260101-masse-1.xml", _MASS.encode("iso-8859-1")),),
    "se.cision": (
        Case("cision/feed.json", json.dumps({"PageIndex": 1, "TotalFoundReleases": 2, "Releases": [_RELEASE, _RELEASE]}).encode()),
        Case("cision/release.json", json.dumps({"Release": _RELEASE}).encode()),
    ),
    "us.fsds": (Case("fsds/2010q1.zip", packs.packed([("sub.txt", _SUB.encode()), ("num.txt", _NUM.encode())])),),
}  # fmt: skip
