"""The financials part of the market: companyfacts, Financial Statement Data Sets.

Belongs here: listing its datasets, their CIK columns and their mapping. Does not belong here: reading any of
them.
"""

from __future__ import annotations

from typing import Final

from connectors.us import company_facts, companyfacts, facts_mapping, fsds, fsds_schema
from connectors.us.companyfacts_schema import ANSWERS_KEY, CIK, KEY, STAGED
from connectors.us.parts import Part

PART: Final = Part(
    datasets=(fsds.DATASET, companyfacts.DATASET, company_facts.DATASET),
    numbers=dict.fromkeys((*STAGED, *fsds_schema.STAGED), CIK),
    shared=facts_mapping.shared,
    names=facts_mapping.names,
    precedence={"figures": (ANSWERS_KEY, KEY, fsds_schema.KEY)},
)
