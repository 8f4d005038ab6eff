"""Concepts of Swedish annual reports (K2, K3, K3K; docs/formats/se.md 6.1), by local name and namespace family.

Namespaces are matched by family regardless of date: 2017, 2020 and 2021 share names. Does not belong here: which
of several facts counts (`figures`).
"""

from __future__ import annotations

from typing import Final

FIGURES_FAMILY: Final = "/gen-base/"
COMPANY_FAMILY: Final = "/cd-base/"
CERTIFICATE_FAMILY: Final = "/comp-base/"
AUDIT_FAMILY: Final = "/fr/ar/"

# The first with a value wins. Revenue has no fallback: gross result and total income are different figures.
REVENUE: Final = ("Nettoomsattning",)
GROSS_RESULT: Final = ("BruttoresultatKostnadsslagsindelad", "BruttoresultatForkortadFunktionsindelad")
OPERATING_RESULT: Final = ("Rorelseresultat",)
AFTER_FINANCIALS: Final = ("ResultatEfterFinansiellaPoster",)
NET_RESULT: Final = ("AretsResultat",)
NET_RESULT_IN_EQUITY: Final = ("AretsResultatEgetKapital",)  # a balance
TOTAL_ASSETS: Final = ("Tillgangar", "EgetKapitalSkulder")
EQUITY: Final = ("EgetKapital",)
UNTAXED_RESERVES: Final = ("ObeskattadeReserver",)
SHARE_CAPITAL: Final = ("Aktiekapital",)
EMPLOYEES: Final = ("MedelantaletAnstallda",)

FLOWS: Final = frozenset((*REVENUE, *GROSS_RESULT, *OPERATING_RESULT, *AFTER_FINANCIALS, *NET_RESULT))
STOCKS: Final = frozenset((*NET_RESULT_IN_EQUITY, *TOTAL_ASSETS, *EQUITY, *UNTAXED_RESERVES, *SHARE_CAPITAL))
NUMBERS: Final = FLOWS | STOCKS | frozenset(EMPLOYEES)

FIRST_DAY: Final = "RakenskapsarForstaDag"
LAST_DAY: Final = "RakenskapsarSistaDag"
NAME: Final = "ForetagetsNamn"
NUMBER: Final = "Organisationsnummer"
SEAT: Final = "ForetagetsSate"
CURRENCY: Final = ("RedovisningsvalutaHandlingList", "Redovisningsvaluta")
CURRENCIES: Final = {"ValutaSvenskaKronorMember": "SEK", "ValutaEuroMember": "EUR"}  # members, instead of the code
UNIT: Final = ("BeloppsformatList", "Beloppsformat")
UNITS: Final = {"TUSENTAL": 3, "MILJONTAL": 6}  # powers of ten, of a code or inside a member's name
SIGNED: Final = ("UndertecknandeArsredovisningDatum", "UndertecknandeDatum")
ADOPTED: Final = "Arsstamma"
AUDITED: Final = ("RevisionAvslutandeDatum", "UttalandeText", "Mottagare")
METADATA: Final = frozenset((FIRST_DAY, LAST_DAY, NAME, NUMBER, SEAT, *CURRENCY, *UNIT, *SIGNED, ADOPTED, *AUDITED))
WANTED: Final = NUMBERS | METADATA

# Where one document has annual and group accounts, every context has one of these segments (never dimensions).
GROUP_SEGMENT: Final = "RedovisningInformationKoncernSegment"
COMPANY_SEGMENT: Final = "RedovisningInformationJuridiskPersonSegment"
COMMON_SEGMENT: Final = "RedovisningInformationGenerellSegment"
