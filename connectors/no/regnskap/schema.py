"""The fields of Regnskapsregisteret: staged tables of the open API and of the mass file, in their own terms.

Belongs here: names, types, field codes, and which posts must add up. Does not belong here: reading
(`dataset`, `mass_file`), or what a post means for the shared figures (`mapping`).
"""

from __future__ import annotations

from typing import Final

from warehouse.schema.types import Column, ColumnKind, Table

_T, _B, _D, _M = ColumnKind.TEXT, ColumnKind.BOOLEAN, ColumnKind.DATE, ColumnKind.MONEY

_RESULT: Final = "resultatregnskapResultat"
_OPERATING: Final = f"{_RESULT}.driftsresultat"
_FINANCE: Final = f"{_RESULT}.finansresultat"
_LIABILITIES: Final = "egenkapitalGjeld"

REVENUE: Final = f"{_OPERATING}.driftsinntekter.sumDriftsinntekter"
SALES: Final = f"{_OPERATING}.driftsinntekter.salgsinntekter"
COSTS: Final = f"{_OPERATING}.driftskostnad.sumDriftskostnad"
OPERATING_RESULT: Final = f"{_OPERATING}.driftsresultat"
NET_RESULT: Final = f"{_RESULT}.aarsresultat"
ASSETS: Final = "eiendeler.sumEiendeler"
EQUITY: Final = f"{_LIABILITIES}.egenkapital.sumEgenkapital"
PAID_IN: Final = f"{_LIABILITIES}.egenkapital.innskuttEgenkapital.sumInnskuttEgenkaptial"  # sic
RETAINED: Final = f"{_LIABILITIES}.egenkapital.opptjentEgenkapital.sumOpptjentEgenkapital"
DEBT: Final = f"{_LIABILITIES}.gjeldOversikt.sumGjeld"
EQUITY_AND_DEBT: Final = f"{_LIABILITIES}.sumEgenkapitalGjeld"

AMOUNTS: Final = {
    REVENUE: "operating revenue",
    SALES: "sales revenue",
    COSTS: "operating costs",
    f"{_OPERATING}.driftskostnad.loennskostnad": "payroll",
    OPERATING_RESULT: "operating result",
    f"{_FINANCE}.nettoFinans": "net financial items",
    f"{_FINANCE}.finansinntekt.sumFinansinntekter": "financial income",
    f"{_FINANCE}.finanskostnad.sumFinanskostnad": "financial costs",
    f"{_FINANCE}.finanskostnad.rentekostnadSammeKonsern": "interest within the group",
    f"{_FINANCE}.finanskostnad.annenRentekostnad": "other interest",
    f"{_RESULT}.ordinaertResultatFoerSkattekostnad": "ordinary result before tax",
    f"{_RESULT}.ordinaertResultatSkattekostnad": "tax on the ordinary result",
    f"{_RESULT}.ekstraordinaerePoster": "extraordinary items",
    f"{_RESULT}.skattekostnadEkstraordinaertResultat": "tax on extraordinary items",
    NET_RESULT: "net result",
    f"{_RESULT}.totalresultat": "total comprehensive result",
    ASSETS: "total assets",
    "eiendeler.goodwill": "goodwill",
    "eiendeler.sumVarer": "inventories",
    "eiendeler.sumFordringer": "receivables",
    "eiendeler.sumInvesteringer": "investments",
    "eiendeler.sumBankinnskuddOgKontanter": "cash",
    "eiendeler.omloepsmidler.sumOmloepsmidler": "current assets",
    "eiendeler.anleggsmidler.sumAnleggsmidler": "fixed assets",
    EQUITY: "equity",
    PAID_IN: "paid-in equity",
    RETAINED: "retained equity",
    DEBT: "liabilities",
    f"{_LIABILITIES}.gjeldOversikt.kortsiktigGjeld.sumKortsiktigGjeld": "current liabilities",
    f"{_LIABILITIES}.gjeldOversikt.langsiktigGjeld.sumLangsiktigGjeld": "non-current liabilities",
    EQUITY_AND_DEBT: "equity and liabilities",
}

NUMBER: Final = "virksomhet.organisasjonsnummer"
JOURNAL: Final = "journalnr"
TYPE: Final = "regnskapstype"
START: Final = "regnskapsperiode.fraDato"
END: Final = "regnskapsperiode.tilDato"
CURRENCY: Final = "valuta"
RULES: Final = "regnkapsprinsipper.regnskapsregler"  # sic
SMALL: Final = "regnkapsprinsipper.smaaForetak"
SCOPES: Final = ("SELSKAP", "KONSERN")  # company, group

ACCOUNTS: Final = Table(
    "no_regnskap",
    "Annual accounts of the open API: one row per submission and scope, in whole units of `valuta`.",
    (NUMBER, JOURNAL, TYPE),
    (
        Column("id", ColumnKind.INTEGER, "row id of the API; a correction has a higher one"),
        Column(JOURNAL, _T, "submission", nullable=False),
        Column(TYPE, _T, "SELSKAP or KONSERN", nullable=False, allowed=SCOPES),
        Column(NUMBER, _T, "organisation number", nullable=False),
        Column("virksomhet.organisasjonsform", _T, "legal form"),
        Column("virksomhet.morselskap", _B, "parent of a group"),
        Column(START, _D, "first day", nullable=False),
        Column(END, _D, "last day", nullable=False),
        Column(CURRENCY, _T, "ISO 4217"),
        Column("avviklingsregnskap", _B, "liquidation accounts"),
        Column("oppstillingsplan", _T, "layout: smaa, store, oevrige"),
        Column("revisjon.ikkeRevidertAarsregnskap", _B, "no auditor's report"),
        Column("revisjon.fravalgRevisjon", _B, "audit opted out"),
        Column(SMALL, _B, "rules for small companies"),
        Column(RULES, _T, "accounting rules"),
        *(Column(name, _M, description) for name, description in AMOUNTS.items()),
    ),
)

POST: Final = "feltkode."  # prefix of the columns of field codes
POSTS: Final = {
    72: "operating revenue",
    1340: "sales revenue",
    17126: "operating costs",
    146: "operating result",
    167: "ordinary result before tax",
    172: "net result",
    219: "total assets",
    250: "equity",
    3730: "paid-in equity",
    9702: "retained equity",
    1119: "liabilities",
    251: "equity and liabilities",
    6972: "operating revenue, year before",
    7026: "operating result, year before",
    7054: "net result, year before",
    7142: "equity, year before",
    7127: "total assets, year before",
}

MASS: Final = Table(
    "no_regnskap_masse",
    "Annual accounts of the mass file: income statement and balance of one submission joined.",
    ("orgnr", JOURNAL, TYPE),
    (
        Column("orgnr", _T, "organisation number", nullable=False),
        Column(JOURNAL, _T, "submission", nullable=False),
        Column(TYPE, _T, "S (company) or K (group)", nullable=False, allowed=("S", "K")),
        Column("regnaar", _T, "year"),
        Column("startdato", _D, "first day", nullable=False),
        Column("avslutningsdato", _D, "last day", nullable=False),
        Column("valutakode", _T, "ISO 4217"),
        Column("mottatt_dato", _D, "received"),
        Column("orgform", _T, "legal form"),
        Column("aarsregnskapstype", _T, "layout"),
        Column("avviklingsregnskap", _T, "J: liquidation accounts"),
        Column("regler_smaa", _T, "J: rules for small companies"),
        *(Column(f"{POST}{code}", _M, description) for code, description in POSTS.items()),
    ),
)
# known members of `hode`, left in RAW
MASS_IGNORED: Final = (
    "oppstillingsplan_versjonsnr",
    "regnskap_dokumenttype",
    "mottakstype",
    "feilvaloer",
    "mor_i_konsern",
    "fleksible_poster",
    "fravalg_revisjon",
    "utarbeidet_regnskapsforer",
    "bistand_regnskapsforer",
    "land_for_land",
)

# (what, total, parts): total = sum of parts, a minus sign subtracts
Identity = tuple[str, str, tuple[tuple[int, str], ...]]
IDENTITIES: Final[tuple[Identity, ...]] = (
    ("sumEiendeler = sumEgenkapitalGjeld", ASSETS, ((1, EQUITY_AND_DEBT),)),
    ("sumEgenkapitalGjeld = sumEgenkapital + sumGjeld", EQUITY_AND_DEBT, ((1, EQUITY), (1, DEBT))),
    ("sumEgenkapital = innskutt + opptjent", EQUITY, ((1, PAID_IN), (1, RETAINED))),
    ("driftsresultat = inntekter - kostnad", OPERATING_RESULT, ((1, REVENUE), (-1, COSTS))),
)


def _signed_posts(*signed: int) -> tuple[tuple[int, str], ...]:
    return tuple((1 if code > 0 else -1, f"{POST}{abs(code)}") for code in signed)


MASS_IDENTITIES: Final[tuple[Identity, ...]] = (
    ("219 = 251", f"{POST}219", _signed_posts(251)),
    ("251 = 250 + 1119", f"{POST}251", _signed_posts(250, 1119)),
    ("250 = 3730 + 9702", f"{POST}250", _signed_posts(3730, 9702)),
    ("146 = 72 - 17126", f"{POST}146", _signed_posts(72, -17126)),
)
