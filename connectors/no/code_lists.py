"""Code lists of the register (`codes/*.csv`) and the few codes that decide how a record is classified.

Does not belong here: labels that records carry (industry, sector), which are used as delivered.
"""

from __future__ import annotations

from typing import Final

from connectors.kit.code_lists import load_code_list

COUNTIES: Final = load_code_list("connectors.no", "counties")
LEGAL_FORMS: Final = load_code_list("connectors.no", "legal_forms")
NEWSWEB: Final = load_code_list("connectors.no", "newsweb_categories")
COUNTRIES: Final = load_code_list("connectors.no", "countries")  # two and three letters to two (ISO 3166-1)

# Records of the same number space that are not companies (docs/formats/no.md 13.1), and the reason reported
NOT_A_COMPANY: Final = {
    "KBO": "not a company: bankruptcy estate (KBO)",
    "UTLA": "not a company: foreign entity, registered as a holder only (UTLA)",
    "BEDR": "not a company: sub-unit (BEDR)",
    "AAFY": "not a company: sub-unit (AAFY)",
}
SOLE_PROPRIETOR: Final = "ENK"

# regnskapsregler of the accounts -> accounting standard; forenkletAnvendelseIFRS is a Norwegian standard of
# its own
STANDARDS: Final = {
    "IFRS": "IFRS",
    "forenkletAnvendelseIFRS": "IFRS-simplified",
    "regnskapslovenAlminneligRegler": "NGAAP",
}
SMALL_COMPANY_STANDARD: Final = "NGAAP"
FOREIGN_HOLDER: Final = "UTLA"
STATE_FORMS: Final = ("STAT", "FYLK", "KOMM", "ORGL")  # the state, counties, municipalities and their units
