"""Vocabulary of invented Swedish companies: words, streets, places, industries and register terms.

Belongs here: plain tables used by births, stories and writers. Companies, streets and persons are invented;
municipalities, post codes, industry codes and register codes are real, because the connector looks them up. Does
not belong here: randomness (`initial_state`), or any file format (`sandbox.se`).
"""

from __future__ import annotations

from typing import Final

from sandbox.vocabulary import Industry, Place

FIRST: Final = (
    "Norrsken", "Granåsen", "Björkhult", "Ljungdala", "Vassbäcken", "Tallmon", "Älvkroken", "Höstvinden",
    "Stenröset", "Kvarnforsen", "Lövsalen", "Myrtuvan", "Åkerbyn", "Sjöglänta", "Enebacken", "Hägern",
)  # fmt: skip
SECOND: Final = (
    "Bygg", "Fastigheter", "Konsult", "Åkeri", "Handel", "El", "Redovisning", "Måleri", "Städ", "Data",
    "Snickeri", "Plåt", "Trädgård", "Förvaltning",
)  # fmt: skip
STREETS: Final = ("Exempelgatan", "Provvägen", "Sandlådestigen", "Låtsasgränd", "Påhittsbacken")

PLACES: Final = (
    Place("STOCKHOLM", "11122", "Stockholm", "0180", "Stockholm"),
    Place("GÖTEBORG", "41106", "Göteborg", "1480", "Västra Götaland"),
    Place("UPPSALA", "75320", "Uppsala", "0380", "Uppsala"),
    Place("HEBY", "74430", "Heby", "0331", "Uppsala"),  # post code lists have it under its former county
    Place("KIRUNA", "98132", "Kiruna", "2584", "Norrbotten"),
    Place("MALMÖ", "21120", "Malmö", "1280", "Skåne"),
    Place("VISBY", "62157", "Gotland", "0980", "Gotland"),
    Place("ÖREBRO", "70210", "Örebro", "1880", "Örebro"),
    Place("SUNDSVALL", "85230", "Sundsvall", "2281", "Västernorrland"),
    Place("DANDERYD", "18231", "Danderyd", "0162", "Stockholm"),
    Place("LINKÖPING", "58102", "Linköping", "0580", "Östergötland"),
    Place("UMEÅ", "90325", "Umeå", "2480", "Västerbotten"),
)

# The same activity in SNI 2007 and SNI 2025, with the label of the list, which the API delivers, too.
INDUSTRIES: Final = (
    (Industry("41200", "Byggande av bostadshus och andra byggnader"),
     Industry("41000", "Byggande av bostadshus och andra byggnader")),
    (Industry("43320", "Byggnadssnickeriarbeten"), Industry("43320", "Byggnadssnickeriarbeten")),
    (Industry("62010", "Dataprogrammering"), Industry("62100", "Dataprogrammering")),
    (Industry("62020", "Datakonsultverksamhet"), Industry("62201", "Datakonsultverksamhet")),
    (Industry("68203", "Uthyrning och förvaltning av egna eller arrenderade, andra lokaler"),
     Industry("68203", "Uthyrning och förvaltning av egna eller arrenderade, andra lokaler")),
    (Industry("49410", "Vägtransport, godstrafik"), Industry("49410", "Vägtransport, godstrafik")),
    (Industry("01110", "Odling av spannmål (utom ris), baljväxter och oljeväxter"),
     Industry("01110", "Odling av spannmål (utom ris), baljväxter och oljeväxter")),
    (Industry("96021", "Hårvård"), Industry("96210", "Frisörer och barberare")),
    (Industry("69201", "Redovisning och bokföring"), Industry("69201", "Redovisning och bokföring; skatterådgivning")),
)  # fmt: skip

# form -> SCB's two digits, label, company name pattern
FORMS: Final = {
    "AB": ("49", "Aktiebolag", "{first} {second} {number} AB"),
    "HB": ("31", "Handelsbolag", "{first} {second} {number} Handelsbolag"),
    "KB": ("31", "Kommanditbolag", "{first} {second} {number} KB"),
    "EK": ("51", "Ekonomisk förening", "{first} {second} {number} ekonomisk förening"),
    "BRF": ("53", "Bostadsrättsförening", "Bostadsrättsföreningen {first} {number}"),
    "I": ("61", "Ideell förening som bedriver näring", 'Vägföreningen "{first}" med nummer {number}'),
}
HOLDERS: Final = (  # invented
    "Hittepå Fonder AB", "Fabel Tjänstepension AB", "Sampleton Partners LLP", "Sagolik Invest AB",
    "Stina Exempelsson", "Uppdiktad Kapital AB",
)  # fmt: skip
ELSEWHERE: Final = "Luftslottet Gruvor AB"  # in no register
STATISTICAL_LABELS: Final = {
    "49": "Övriga aktiebolag",
    "31": "Handelsbolag, kommanditbolag",
    "51": "Ekonomiska föreningar",
    "53": "Bostadsrättsföreningar",
    "61": "Ideella föreningar",
}
REASONS: Final = {
    "LIAV": "Likvidation",
    "FUAV": "Fusion",
    "KKAV": "Konkurs",
    "OVERK": "Overksamhet",
    "VERKUPP": "Verksamheten har upphört",
    "ARSEED": "Årsredovisning saknas",
}
PROCEEDINGS: Final = {
    "KK": "Konkurs",
    "LI": "Likvidation",
    "FR": "Företagsrekonstruktion",
    "FUOT": "Övertagande i fusion",
}
