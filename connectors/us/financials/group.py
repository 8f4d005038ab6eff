"""The financials part of the market: companyfacts, Financial Statement Data Sets.

Belongs here: listing its datasets, their CIK columns and their mapping. Does not belong here: reading any of
them.
"""

from __future__ import annotations

from typing import Final

from connectors.us.companyfacts import dataset as companyfacts_dataset
from connectors.us.companyfacts import single
from connectors.us.companyfacts.schema import ANSWERS_KEY, CIK, KEY, STAGED
from connectors.us.financial_statement_data_sets import (
    dataset as financial_statement_data_sets_dataset,
)
from connectors.us.financial_statement_data_sets import (
    schema as financial_statement_data_sets_schema,
)
from connectors.us.financials import mapping
from connectors.us.parts import DatasetGroup

PART: Final = DatasetGroup(
    datasets=(financial_statement_data_sets_dataset.DATASET, companyfacts_dataset.DATASET, single.DATASET),
    numbers=dict.fromkeys((*STAGED, *financial_statement_data_sets_schema.STAGED), CIK),
    shared=mapping.to_shared_tables,
    names=mapping.filer_names,
    precedence={"figures": (ANSWERS_KEY, KEY, financial_statement_data_sets_schema.KEY)},
)
