"""Vocabulary of invented companies: words, people, streets, places, industries.

Belongs here: plain tables used by stories and writers. Every company and person is invented; municipalities, postal
places and industry codes are real, because the connectors look them up. Does not belong here: randomness
(`companies`), or any file format (`sandbox.<cc>`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Place:
    """A municipality or post town. `code`: the Norwegian municipality number; None in the United Kingdom."""

    town: str
    postcode: str
    municipality: str | None
    code: str | None
    county: str | None


@dataclass(frozen=True, slots=True)
class Industry:
    """One industry as the register writes it: code with its own punctuation, label as delivered."""

    code: str
    label: str

    @property
    def bare(self) -> str:
        """Code without dots, as in profiles."""
        return self.code.replace(".", "")


NORWEGIAN_FIRST: Final = (
    "NORDLYS", "FJORD", "BRÅTEN", "SOLBAKKEN", "ØYGARD",
    "HAVBLIKK", "SKOGSLIA", "LÆRKE", "TINDEN", "ELVEBREDD",
    "STEINVIK", "BJØRKELY", "KVITFJELL", "MÅSEN", "RØYSA", "VESTHEIM", "GRANLI", "SÆTRE", "ALVSTAD", "HØGDA",
)  # fmt: skip
NORWEGIAN_SECOND: Final = (
    "EIENDOM", "BYGG", "REGNSKAP", "TRANSPORT", "HANDEL",
    "INVEST", "ELEKTRO", "KONSULENT", "SJØMAT", "RENHOLD",
    "MALERSERVICE", "HAVBRUK", "TØMMER", "DATA", "UTLEIE", "MASKIN",
)  # fmt: skip
BRITISH_FIRST: Final = (
    "HAWTHORN", "BRAMBLE", "LOWFIELD", "KESTREL",
    "THISTLEDOWN", "OAKMERE", "FERNBANK", "MILLRACE", "STONECHAT",
    "ASHDALE", "LARKSPUR", "WHITCOMBE", "PENHALE",
    "GLENMORA", "RUSHWATER", "COPPERGATE", "INGLENOOK", "MARSHWOOD",
)  # fmt: skip
BRITISH_SECOND: Final = (
    "PROPERTIES", "CONSULTING", "BUILDERS", "LOGISTICS", "TRADING", "HOLDINGS", "ELECTRICAL", "FOODS", "CARE",
    "JOINERY", "DIGITAL", "HAULAGE", "INTERIORS", "& SONS", "ENGINEERING", "LETTINGS",
)  # fmt: skip
ODD_NAMES: Final = ("! {name}", '"{name}"', "{name} (1927)", "THE {name} & CO.")

FORENAMES: Final = ("Ada", "Tom", "Ines", "Ravi", "Moira", "Owen", "Zara", "Piotr", "Elin", "Hugh", "Nia", "Femi")
SURNAMES: Final = ("Example", "Sampleton", "Testerby", "Fictor", "Madeup", "Placeholder", "Inventson", "Mockridge")
TITLES: Final = ("Mr", "Mrs", "Ms", "Dr")
MONTHS: Final = (
    "January", "February", "March", "April", "May",
    "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip

NORWEGIAN_STREETS: Final = ("Eksempelveien", "Prøvegata", "Sandkassevegen", "Øvre Testgate", "Fiksjonsstien")
BRITISH_STREETS: Final = ("SAMPLE ROAD", "FICTION LANE", "EXAMPLE STREET", "PLACEHOLDER WAY", "INVENTED CLOSE")

# Counties with a single official name: lists differ in the spelling of bilingual ones.
NORWEGIAN_PLACES: Final = (
    Place("OSLO", "0151", "OSLO", "0301", "Oslo"),
    Place("STAVANGER", "4006", "STAVANGER", "1103", "Rogaland"),
    Place("SANDNES", "4306", "SANDNES", "1108", "Rogaland"),
    Place("ÅLESUND", "6002", "ÅLESUND", "1508", "Møre og Romsdal"),
    Place("MOLDE", "6413", "MOLDE", "1506", "Møre og Romsdal"),
    Place("HALDEN", "1767", "HALDEN", "3101", "Østfold"),
    Place("LILLESTRØM", "2001", "LILLESTRØM", "3205", "Akershus"),
    Place("DRAMMEN", "3015", "DRAMMEN", "3301", "Buskerud"),
    Place("HAMAR", "2317", "HAMAR", "3403", "Innlandet"),
    Place("TØNSBERG", "3113", "TØNSBERG", "3905", "Vestfold"),
    Place("KRISTIANSAND S", "4611", "KRISTIANSAND", "4204", "Agder"),
    Place("BERGEN", "5003", "BERGEN", "4601", "Vestland"),
    Place("LÆRDAL", "6887", "LÆRDAL", "4642", "Vestland"),
)
BRITISH_PLACES: Final = (
    Place("LONDON", "EC1V 9LT", None, None, None),
    Place("SHEFFIELD", "S35 2PH", None, None, "SOUTH YORKSHIRE"),
    Place("TADLEY", "RG26 5AT", None, None, "HAMPSHIRE"),
    Place("LEEDS", "LS10 2RU", None, None, "YORKSHIRE"),
    Place("ROMILEY", "SK6 3DY", None, None, None),
    Place("ABERDEEN", "AB11 7SY", None, None, None),
    Place("BELFAST", "BT1 5GS", None, None, "COUNTY ANTRIM"),
    Place("CARDIFF", "CF10 1BH", None, None, "GLAMORGAN"),
)

# The same activity in SN2007 and SN2025: the mass recoding moves every company from left to right.
NORWEGIAN_INDUSTRIES: Final = (
    (Industry("41.200", "Oppføring av bygninger"), Industry("41.000", "Oppføring av bygninger")),
    (Industry("43.320", "Snekkerarbeid"), Industry("43.320", "Snekkerarbeid")),
    (Industry("62.010", "Programmeringstjenester"), Industry("62.100", "Programmering")),
    (
        Industry("62.020", "Konsulentvirksomhet tilknyttet informasjonsteknologi"),
        Industry(
            "62.200",
            "Konsulentvirksomhet tilknyttet informasjonsteknologi og forvaltning og drift av it-systemer",
        ),
    ),
    (
        Industry("68.209", "Utleie av egen eller leid fast eiendom ellers"),
        Industry("68.200", "Utleie av egen fast eiendom"),
    ),
    (Industry("49.410", "Godstransport på vei"), Industry("49.410", "Godstransport på vei")),
    (Industry("81.210", "Rengjøring av bygninger"), Industry("81.210", "Rengjøring av bygninger")),
    (Industry("69.201", "Regnskap og bokføring"), Industry("69.201", "Regnskap og bokføring")),
    (
        Industry("03.211", "Produksjon av matfisk og skalldyr i sjøbasert akvakultur"),
        Industry("03.211", "Sjøbasert akvakultur"),
    ),
)  # fmt: skip
BANK: Final = Industry("64.190", "Banker og kredittforetak")  # the same in both versions
UNSTATED_INDUSTRY: Final = Industry("00.000", "Uoppgitt")
BRITISH_INDUSTRIES: Final = (
    Industry("41100", "Development of building projects"),
    Industry("62020", "Information technology consultancy activities"),
    Industry("68209", "Other letting and operating of own or leased real estate"),
    Industry("47710", "Retail sale of clothing in specialised stores"),
    Industry("70229", "Management consultancy activities other than financial management"),
    Industry("78300", "Human resources provision and management of human resources functions"),
    Industry("43320", "Joinery installation"),
    Industry("49410", "Freight transport by road"),
    Industry("56101", "Licensed restaurants"),
)
DORMANT_INDUSTRY: Final = Industry("99999", "Dormant Company")

NORWEGIAN_FORMS: Final = {
    "AS": "Aksjeselskap",
    "ASA": "Allmennaksjeselskap",
    "ENK": "Enkeltpersonforetak",
    "NUF": "Norskregistrert utenlandsk foretak",
    "DA": "Selskap med delt ansvar",
    "STI": "Stiftelse",
    "FLI": "Forening/lag/innretning",
}
NORWEGIAN_SECTORS: Final = {
    "ENK": ("8200", "Personlig næringsdrivende"),
    "FLI": ("7000", "Ideelle organisasjoner"),
    "STI": ("7000", "Ideelle organisasjoner"),
}
DEFAULT_SECTOR: Final = ("2100", "Private aksjeselskaper mv.")
