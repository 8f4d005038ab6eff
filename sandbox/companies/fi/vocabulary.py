"""Vocabulary of invented Finnish companies: words, streets, places, industries and register terms.

Belongs here: plain tables used by births, stories and writers. Companies, streets and holders are invented;
municipalities, post codes, industry codes and descriptions are real, because the connector looks them up. Does
not belong here: randomness (`initial_state`), or any file format (`sandbox.fi`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from sandbox.vocabulary import Industry, Place


@dataclass(frozen=True, slots=True)
class BusinessLine:
    """One activity in both versions of the classification; English only if the register translates it."""

    tol2008: str
    tol2025: str
    finnish: str
    swedish: str
    english: str | None

    def industry(self, industry_code_set: int) -> Industry:
        """Industry as shown in a profile: the English description, else the Finnish one."""
        return Industry((self.tol2008, self.tol2025)[industry_code_set], self.english or self.finnish)


FIRST: Final = (
    "Revontuli", "Kaislikko", "Hallavaara", "Pihlajisto", "Kuutamo", "Tuulenpesä", "Lumikko", "Kotkansiipi",
    "Mäntyharju", "Säynätsalo", "Aallotar", "Kivikkö", "Ränninmäki", "Suvituuli", "Hopeasalmi", "Vääräjoki",
)  # fmt: skip
SECOND: Final = (
    "Rakennus", "Kuljetus", "Ohjelmistot", "Siivous", "Palvelut", "Kiinteistöt", "Konepaja", "Metsä",
    "Ravintolat", "Neuvonta", "Sähkö", "Laivat", "Puutarhat", "Tilitoimisto",
)  # fmt: skip
STREETS: Final = ("Esimerkkikatu", "Mallitie", "Koekuja", "Satumaantie", "Hiekkalaatikonpolku")

LINES: Final = (
    BusinessLine("41200", "41000", "Asuin- ja muiden rakennusten rakentaminen",
         "Byggande av bostadshus och andra byggnader",
         "Construction of residential and non-residential buildings"),
    BusinessLine("62010", "62100", "Ohjelmistojen suunnittelu ja valmistus", "Dataprogrammering",
         "Computer programming activities"),
    BusinessLine("62020", "62200", "Atk-laitteisto- ja ohjelmistokonsultointi", "Datakonsultverksamhet",
         "Computer consultancy activities"),
    BusinessLine("68209", "68200", "Muu kiinteistöjen vuokraus ja hallinta",
         "Övrig uthyrning och förvaltning av fastigheter", None),
    BusinessLine("70220", "70200", "Muu liikkeenjohdon konsultointi", "Övrig organisationskonsultverksamhet",
         "Business and other management consultancy activities"),
    BusinessLine("49410", "49410", "Tieliikenteen tavarakuljetus", "Vägtransport av gods",
         "Freight transport by road"),
    BusinessLine(
        "43320", "43320", "Rakennuspuusepän asennustyöt", "Byggnadssnickeriarbeten", "Joinery installation"
    ),
    BusinessLine("81210", "81210", "Kiinteistöjen siivous", "Lokalvård", "General cleaning of buildings"),
    BusinessLine("56101", "56110", "Ravintolat", "Restauranger", None),
)  # fmt: skip
_BY_CODE: Final = {code: line for line in LINES for code in (line.tol2008, line.tol2025)}

# Turku's region and similar ones: only places with a single spelling of name and region.
PLACES: Final = (
    Place("TURKU", "20100", "Turku", "853", "Varsinais-Suomi"),
    Place("TAMPERE", "33100", "Tampere", "837", "Pirkanmaa"),
    Place("NOKIA", "37120", "Nokia", "536", "Pirkanmaa"),
    Place("OULU", "90100", "Oulu", "564", "Pohjois-Pohjanmaa"),
    Place("KUOPIO", "70100", "Kuopio", "297", "Pohjois-Savo"),
    Place("ROVANIEMI", "96100", "Rovaniemi", "698", "Lappi"),
    Place("LAHTI", "15100", "Lahti", "398", "Päijät-Häme"),
    Place("JYVÄSKYLÄ", "40100", "Jyväskylä", "179", "Keski-Suomi"),
    Place("VAASA", "65100", "Vaasa", "905", "Pohjanmaa"),
    Place("HÄMEENLINNA", "13100", "Hämeenlinna", "109", "Kanta-Häme"),
    Place("MARIEHAMN", "22100", "Mariehamn", "478", "Åland"),
    Place("ÄÄNEKOSKI", "44100", "Äänekoski", "992", "Keski-Suomi"),
)  # fmt: skip
SWEDISH_TOWNS: Final = {
    "TURKU": "ÅBO", "TAMPERE": "TAMMERFORS", "OULU": "ULEÅBORG", "LAHTI": "LAHTIS", "VAASA": "VASA",
    "HÄMEENLINNA": "TAVASTEHUS", "MAARIANHAMINA": "MARIEHAMN",
}  # fmt: skip

LIMITED, PUBLIC, HOUSING, REAL_ESTATE = "16", "17", "2", "10"  # YRMU codes (docs/formats/fi.md 2.1)
FORMS: Final = {  # code -> Finnish, Swedish, English
    LIMITED: ("Osakeyhtiö", "Aktiebolag", "Limited company"),
    PUBLIC: ("Julkinen osakeyhtiö", "Publikt aktiebolag", "Public limited company"),
    HOUSING: ("Asunto-osakeyhtiö", "Bostadsaktiebolag", "Housing company"),
    REAL_ESTATE: ("Keskinäinen kiinteistöosakeyhtiö", "Ömsesidigt fastighetsaktiebolag",
                  "Mutual real estate company"),
}  # fmt: skip
ENTRIES: Final = {  # REK_KDI code -> Finnish, Swedish, English
    "0": ("Rekisteröimätön", "Oregistrerad", "Unregistered"),
    "1": ("Rekisterissä", "Registrerad", "Registered"),
    "4": ("Lakannut", "Upphört", "Ceased"),
    "41": ("Rekisterissä", "Registrerad", "Registered"),
    "55": ("Rekisterissä", "Registrerad", "Registered"),
    "80": ("Liiketoiminnasta arvonlisäverovelvollinen", "Momsskyldig för rörelseverksamhet",
           "VAT-liable for business activity"),
}  # fmt: skip
HOLDERS: Final = (  # invented; spelt the same in every language
    ("Fiktiv Kapital Oy", "company"), ("Mallila Invest Ab", "company"), ("Keksitty Eläkevakuutus", "company"),
    ("Ada Esimerkki", "person"), ("Sampleton Partners LLP", "company"), ("Tuomas Malli", "person"),
)  # fmt: skip
# categories of the exchange's news service (docs/formats/fi.md 6.1)
FLAGGING, INTERIM, HALF_YEAR, INSIDE, MANAGERS = 144, 153, 78, 428, 66
CATEGORIES: Final = {
    FLAGGING: "Major shareholder announcements",
    INTERIM: "Interim report (Q1 and Q3)",
    HALF_YEAR: "Half Year financial report",
    INSIDE: "Inside information",
    MANAGERS: "Managers' Transactions",
    497: "Inside information",
}


def line_by_code(code: str) -> BusinessLine:
    """Activity of a code of either version."""
    return _BY_CODE[code]
